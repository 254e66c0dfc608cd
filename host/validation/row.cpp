#include "host/validation/row.h"

#include <array>
#include <cmath>
#include <utility>

namespace intervox::host {

bool Check::Passes() const { return std::fabs(obtained - expected) <= tolerance; }

RowScene::RowScene(std::filesystem::path file, std::vector<std::string> edits,
                   std::function<void(double)> told, std::vector<Figure>* figures)
    : file_(std::move(file)), edits_(std::move(edits)), told_(std::move(told)), figures_(figures) {}

Simulation RowScene::Start(const std::vector<std::string>& edits) const {
  std::vector<std::string> all = edits;
  all.insert(all.end(), edits_.begin(), edits_.end());
  EngineOptions options;
  options.threads = 1;
  return Simulation(LoadScene(file_, all), options);
}

void RowScene::Step(Simulation& simulation) const {
  const double before = simulation.Time();
  simulation.Step();
  told_(simulation.Time() - before);
}

void RowScene::Draw(Figure figure) const {
  constexpr std::size_t kMostPoints = 800;
  for (Curve& curve : figure.curves) {
    const std::size_t every = (curve.x.size() + kMostPoints - 1) / kMostPoints;
    if (every < 2) continue;
    Curve thin{curve.label, {}, {}, curve.reference};
    for (std::size_t k = 0; k < curve.x.size(); k += every) thin.Add(curve.x[k], curve.y[k]);
    curve = std::move(thin);
  }
  figures_->push_back(std::move(figure));
}

std::span<const Row> Rows() {
  static const std::array rows = {
      Row{"single_impact", "Gonthier, thesis 2007, 5.1.1", "single_impact.yaml", 8e-3,
          SingleImpact},
      Row{"ball_on_incline", "Gonthier, thesis 2007, 5.1.3", "ball_on_incline.yaml", 4,
          BallOnIncline},
      Row{"ball_in_cylinder", "Gonthier, thesis 2007, 5.1.3", "ball_in_cylinder.yaml", 24,
          BallInCylinder},
      Row{"double_pendulum", "Gonthier, thesis 2007, 5.1.3", "double_pendulum.yaml", 10,
          DoublePendulumOnFloor},
      Row{"solver_study", "Gonthier, thesis 2007, 5.2", "../ball_over_edge.yaml", 6, SolverStudy},
      Row{"bouncing_drop", "Azad and Featherstone, a drop", "bouncing_drop.yaml", 5, BouncingDrop},
      Row{"azad_scaling", "Azad and Featherstone (11)", "azad_scaling.yaml", 0.6, AzadScaling},
      Row{"impulse_laws", "Ullrich, thesis, 2.3, 5.4, 5.6", "impulse_laws.yaml", 2e-3, ImpulseLaws},
      Row{"rod_drop", "Ullrich, thesis, 6.3", "rod_drop.yaml", 5e-3, RodDrop},
      Row{"slender_rod", "Painlevé, 1895", "slender_rod.yaml", 0.01, PainleveRod},
      Row{"four_legged_chair", "Ullrich, thesis, 5.5", "four_legged_chair.yaml", 3,
          FourLeggedChair},
      Row{"box_push", "a test of another simulator", "box_push.yaml", 3, BoxPush}};
  return rows;
}

}  // namespace intervox::host
