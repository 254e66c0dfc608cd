// `intervox settle` and `intervox insertion-force`: statics of a scene.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/edits.h"
#include "host/cli/validators.h"
#include "host/quasistatic/quasistatic.h"

namespace intervox::cli {
namespace {

struct QuasistaticArguments {
  std::string file;
  std::vector<std::string> edits;
  std::vector<double> along;
  host::Insertion insertion;
  host::SettleOptions settle;
  bool json = false;
};

void AddShared(CLI::App* command, QuasistaticArguments* options) {
  command->add_option("scene", options->file, "Scene file")->required();
  AddEdits(command, &options->edits);
  command
      ->add_option("--tolerance", options->settle.tolerance,
                   "Force that is not balanced, in shares of a body's loads; default 1e-6")
      ->check(InRange(1e-12, 0.1));
  command->add_option("--steps", options->settle.most_steps, "Most steps to rest; default 20000")
      ->check(InRange(1, 1e9));
  command->add_flag("--json", options->json, "JSON in full precision");
}

std::vector<double> Numbers(const Vec3& v) { return {v.x, v.y, v.z}; }

int RunSettle(const QuasistaticArguments& options) {
  const Scene scene = LoadScene(options.file, options.edits);
  const host::Equilibrium found = host::Settle(scene, options.settle);
  const auto name = [&](int body) { return scene.bodies[static_cast<std::size_t>(body)].name; };
  if (options.json) {
    nlohmann::ordered_json j;
    j["steps"] = found.steps;
    for (const host::SettledBody& body : found.bodies) {
      const Quaternion& q = body.state.q_WB;
      j["bodies"][name(body.body)] = {{"position", Numbers(body.state.X_WB.p)},
                                      {"orientation", {q.w, q.x, q.y, q.z}},
                                      {"contact_force", Numbers(body.state.contact_force)},
                                      {"residual", body.residual}};
    }
    j["contacts"] = nlohmann::ordered_json::array();
    for (const ContactReport& contact : found.contacts) {
      j["contacts"].push_back({{"bodies", {name(contact.body_i), name(contact.body_j)}},
                               {"position", Numbers(contact.geometry.p_WC)},
                               {"normal_force", contact.f_n},
                               {"force", Numbers(contact.force)}});
    }
    std::cout << j.dump(2) << "\n";
    return kDone;
  }
  std::cout << fmt::format("at rest after {} steps\n", found.steps);
  for (const host::SettledBody& body : found.bodies) {
    const Vec3 &p = body.state.X_WB.p, &f = body.state.contact_force;
    const Quaternion& q = body.state.q_WB;
    std::cout << fmt::format(
        "{}: position [{:.9g}, {:.9g}, {:.9g}] m, quaternion [{:.9g}, {:.9g}, {:.9g}, {:.9g}],\n"
        "  contact force [{:.6g}, {:.6g}, {:.6g}] N, residual {:.2g} N\n",
        name(body.body), p.x, p.y, p.z, q.w, q.x, q.y, q.z, f.x, f.y, f.z, body.residual);
  }
  for (const ContactReport& contact : found.contacts) {
    const Vec3 &p = contact.geometry.p_WC, &f = contact.force;
    std::cout << fmt::format(
        "{} on {}: at [{:.6g}, {:.6g}, {:.6g}] m, normal force {:.6g} N, force [{:.6g}, {:.6g}, "
        "{:.6g}] N\n",
        name(contact.body_j), name(contact.body_i), p.x, p.y, p.z, contact.f_n, f.x, f.y, f.z);
  }
  return kDone;
}

int RunInsertion(QuasistaticArguments options) {
  options.insertion.along = {options.along[0], options.along[1], options.along[2]};
  const auto points = host::InsertionForce(LoadScene(options.file, options.edits),
                                           options.insertion, options.settle);
  if (options.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const host::InsertionPoint& at : points) {
      j.push_back({{"depth", at.depth},
                   {"position", at.position},
                   {"push", at.push},
                   {"across", at.across},
                   {"torque", at.torque},
                   {"contacts", at.contacts}});
    }
    std::cout << j.dump(2) << "\n";
    return kDone;
  }
  std::cout << "depth [m],position [m],push [N],across [N],torque [N m],contacts\n";
  for (const host::InsertionPoint& at : points) {
    std::cout << fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{}\n", at.depth, at.position,
                             at.push, at.across, at.torque, at.contacts);
  }
  return kDone;
}

}  // namespace

void AddSettle(CLI::App& app, int& status) {
  const auto options = std::make_shared<QuasistaticArguments>();
  CLI::App* command = app.add_subcommand("settle", "Find where the bodies of a scene come to rest");
  AddShared(command, options.get());
  command->callback([options, &status] { status = RunSettle(*options); });
}

void AddInsertionForce(CLI::App& app, int& status) {
  const auto options = std::make_shared<QuasistaticArguments>();
  CLI::App* command = app.add_subcommand(
      "insertion-force", "The force over the depth as a body is pushed along a line, as CSV");
  AddShared(command, options.get());
  command->add_option("--body", options->insertion.body, "The body that is pushed")->required();
  command->add_option("--along", options->along, "Direction in world axes, as 0,0,-1")
      ->delimiter(',')
      ->expected(3)
      ->allow_extra_args(false)
      ->required();
  command->add_option("--depth", options->insertion.depth, "Length of the path [m]")
      ->check(InRange(1e-12, 1e6))
      ->required();
  command->add_option("--points", options->insertion.points, "At which it stops; default 25")
      ->check(InRange(1, 1e6));
  command
      ->add_option("--pause", options->insertion.pause,
                   "Time on the way to a point, and at it [s]; default 0.1")
      ->check(InRange(1e-6, 1e6));
  command->callback([options, &status] { status = RunInsertion(*options); });
}

}  // namespace intervox::cli
