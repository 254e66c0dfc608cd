#include "host/simulation/joint_steps.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/contact/parameters.h"

namespace intervox::host {
namespace {

/** A joined body turns by at most this much in a substep [rad], unless that takes more substeps. */
constexpr double kMostTurn = 0.25;
constexpr double kMostCuts = 200.0;

}  // namespace

void AddJointTimes(std::span<const Joint> joints, std::vector<std::vector<double>>* times) {
  for (const Joint& joint : joints) {
    for (const int body : {joint.body_a, joint.body_b}) {
      if (body < 0 || joint.motion.empty()) continue;
      std::vector<double>& of_body = (*times)[static_cast<std::size_t>(body)];
      for (const JointKey& key : joint.motion) {
        if (key.t > 0.0) of_body.push_back(key.t);
      }
      std::sort(of_body.begin(), of_body.end());
      of_body.erase(std::unique(of_body.begin(), of_body.end()), of_body.end());
    }
  }
}

double LengthByJoints(const BodyGroup& group, double left) {
  double fastest = 0.0;
  for (const GroupJoint& joint : group.joints) {
    for (const int body : {joint.body_a, joint.body_b}) {
      if (body < 0) continue;
      fastest = std::fmax(fastest, Norm(group.state[static_cast<std::size_t>(body)].w));
    }
  }
  if (!(fastest * left > kMostTurn)) return left;
  return std::fmax(kMostTurn / fastest, left / kMostCuts);
}

namespace {

/** The moment, and the joint that is farthest from closing. */
std::string WorstAt(const StageTools& tools, const StageScratch& scratch, const BodyGroup& group,
                    double t) {
  const auto index = static_cast<std::size_t>(group.joints[scratch.worst_joint].joint);
  return "t = " + NumberText(t) + " s: joints." + tools.world->joints[index].name;
}

/** Ends a run at the joint that is farthest from closing. @param how  it cannot close */
[[noreturn]] void RefuseWorst(const StageTools& tools, const StageScratch& scratch,
                              const BodyGroup& group, double t, const std::string& how) {
  throw std::runtime_error(WorstAt(tools, scratch, group, t) + " cannot close" + how +
                           ": change the motion, the lengths between joints, or take a smaller "
                           "step.");
}

}  // namespace

void RequireClosed(const StageTools& tools, const StageScratch& scratch, double t,
                   BodyGroup* group) {
  if (group->joints.empty()) return;
  group->joint_error = std::fmax(group->joint_error, scratch.joint_miss);
  if (scratch.joint_miss <= kJointTolerance) return;
  if (!std::isfinite(scratch.joint_miss)) {
    throw std::runtime_error(WorstAt(tools, scratch, *group, t) +
                             ": the state of its bodies is no longer finite. Use a smaller step, "
                             "or an implicit method.");
  }
  RefuseWorst(tools, scratch, *group, t,
              ": its equations miss by " + NumberText(scratch.joint_miss) + " m or rad; at most " +
                  NumberText(kJointTolerance) +
                  " is allowed. Bodies cannot reach what motions and joints ask of them");
}

void RefuseJammed(const StageTools& tools, const StageScratch& scratch, const BodyGroup& group,
                  int substeps) {
  RefuseWorst(tools, scratch, group, group.time,
              " in the time given: " + std::to_string(substeps) +
                  " substeps do not take its bodies through one step, with errors kept below " +
                  NumberText(kJointTolerance) + " m or rad. They are where joints lock");
}

void ReadJoints(const StageTools& tools, BodyGroup* group, StageScratch* scratch) {
  if (group->joints.empty()) return;
  const Substep none{group->time, 0.0, false, false};
  GroupStage stage(tools, *group, none, scratch);
  stage.LoadState();
  stage.ReadJoints(&group->joint_readings);
}

}  // namespace intervox::host
