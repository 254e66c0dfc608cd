#include "host/validation/row.h"

#include <algorithm>
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
    const std::size_t stretch = 2 * ((curve.x.size() + kMostPoints - 1) / kMostPoints);
    if (stretch < 4) continue;
    Curve thin{curve.label, {}, {}, curve.reference};
    for (std::size_t from = 0; from < curve.x.size(); from += stretch) {
      const auto begin = curve.y.begin() + static_cast<std::ptrdiff_t>(from);
      const std::size_t count = std::min(stretch, curve.y.size() - from);
      const auto [low, high] =
          std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(count));
      const auto [first, second] = std::minmax(low, high);
      for (const auto& at : {first, second}) {
        thin.Add(curve.x[static_cast<std::size_t>(at - curve.y.begin())], *at);
      }
    }
    curve = std::move(thin);
  }
  figures_->push_back(std::move(figure));
}

std::span<const Row> Rows() {
  static const std::array rows = {
      Row{"single_impact", "Gonthier, thesis 2007, 5.1.1", "single_impact.yaml", 8e-3,
          SingleImpact},
      Row{"force_loops", "Gonthier, thesis 2007, 5.1.1", "force_loops.yaml", 2e-3, ForceLoops},
      Row{"stick_slip", "Gonthier, thesis 2007, 5.1.2", "stick_slip.yaml", 210, StickSlip},
      Row{"ball_on_incline", "Gonthier, thesis 2007, 5.1.3", "ball_on_incline.yaml", 4,
          BallOnIncline},
      Row{"ball_in_cylinder", "Gonthier, thesis 2007, 5.1.3", "ball_in_cylinder.yaml", 24,
          BallInCylinder},
      Row{"double_pendulum", "Gonthier, thesis 2007, 5.1.3", "double_pendulum.yaml", 10,
          DoublePendulumOnFloor},
      Row{"pendulum_impact", "Gonthier, thesis 2007, 5.1.3", "pendulum_impact.yaml", 0.1,
          PendulumImpact},
      Row{"force_plate", "Gonthier, thesis 2007, 5.1.4", "force_plate.yaml", 8.2, ForcePlate},
      Row{"ball_in_cylinder_volume", "Gonthier, thesis 2007, 5.2.1", "ball_in_cylinder_volume.yaml",
          24, BallInCylinderVolume},
      Row{"ball_over_edge", "Gonthier, thesis 2007, 5.2.1", "ball_over_edge.yaml", 4.5,
          BallOverEdge},
      Row{"tippe_top", "Gonthier, thesis 2007, 5.2.2", "tippe_top.yaml", 2.25, TippeTop},
      Row{"battery_box", "Gonthier, thesis 2007, 5.2.2", "battery_box.yaml", 5, BatteryBox},
      Row{"solver_study", "Gonthier, thesis 2007, 5.2", "../ball_over_edge.yaml", 6, SolverStudy},
      Row{"bouncing_drop", "Azad and Featherstone, a drop", "bouncing_drop.yaml", 5, BouncingDrop},
      Row{"azad_scaling", "Azad and Featherstone (11)", "azad_scaling.yaml", 0.6, AzadScaling},
      Row{"restitution_log", "Azad and Featherstone, figures 3-5", "restitution_log.yaml", 0.01,
          RestitutionLog},
      Row{"impulse_laws", "Ullrich, thesis, 2.3, 5.4, 5.6", "impulse_laws.yaml", 2e-3, ImpulseLaws},
      Row{"rod_drop", "Ullrich, thesis, 6.3", "rod_drop.yaml", 5e-3, RodDrop},
      Row{"slender_rod", "Painlevé, 1895", "slender_rod.yaml", 0.01, PainleveRod},
      Row{"four_legged_chair", "Ullrich, thesis, 5.5", "four_legged_chair.yaml", 3,
          FourLeggedChair},
      Row{"box_push", "a test of another simulator", "box_push.yaml", 3, BoxPush},
      Row{"stribeck_curve", "Drake, contact forces", "stribeck_curve.yaml", 1e-4, StribeckRow},
      Row{"limit_surface", "Coulomb and Contensou", "limit_surface.yaml", 1e-4, LimitSurface},
      Row{"rock_n_stack", "C-Space Toolkit, an example", "rock_n_stack.yaml", 6, RockNStack},
      Row{"morse_taper", "C-Space Toolkit, by hand", "morse_taper.yaml", 1, MorseTaper},
      Row{"rolling_onset", "by hand", "rolling_onset.yaml", 0.8, RollingOnset},
      Row{"steiner", "Steiner; Kater's pendulum", "steiner.yaml", 60, Steiner}};
  return rows;
}

}  // namespace intervox::host
