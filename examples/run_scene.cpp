// A scene from a file, stepped to its end: where the bodies are and what they feel.
#include <intervox.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_scene SCENE.yaml\n");
    return 2;
  }
  try {
    intervox::Simulation simulation(intervox::LoadScene(argv[1]));
    simulation.Run();
    std::printf("%s: %.3f s, %lld steps\n", simulation.GetScene().name.c_str(), simulation.Time(),
                static_cast<long long>(simulation.Counters().steps));
    for (std::size_t k = 0; k < simulation.State().size(); ++k) {
      const intervox::BodyState& body = simulation.State()[k];
      std::printf("%s at (%.6f, %.6f, %.6f) m, contact force (%.3f, %.3f, %.3f) N\n",
                  simulation.GetScene().bodies[k].name.c_str(), body.X_WB.p.x, body.X_WB.p.y,
                  body.X_WB.p.z, body.contact_force.x, body.contact_force.y, body.contact_force.z);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "run_scene: %s\n", error.what());
    return 1;
  }
  return 0;
}
