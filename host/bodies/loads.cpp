#include "host/bodies/loads.h"

#include <algorithm>
#include <cmath>

namespace intervox::host {

double ActiveShare(const AppliedWrench& wrench, double begin, double end) {
  if (!(end > begin)) return wrench.from <= begin && begin < wrench.to ? 1.0 : 0.0;
  const double first = std::fmax(begin, wrench.from), last = std::fmin(end, wrench.to);
  if (first == begin && last == end) return 1.0;
  return std::fmax(0.0, last - first) / (end - begin);
}

AppliedLoad AverageLoad(const BodySettings& body, const Pose& X_WB, const Vec3& p_WM, double begin,
                        double end) {
  AppliedLoad load;
  for (const AppliedWrench& wrench : body.wrenches) {
    const double share = ActiveShare(wrench, begin, end);
    if (share == 0.0) continue;
    const Vec3 force = share * (wrench.in_body_frame ? X_WB.R * wrench.force : wrench.force);
    const Vec3 torque = share * (wrench.in_body_frame ? X_WB.R * wrench.torque : wrench.torque);
    load.force += force;
    load.torque += torque + Cross(X_WB * wrench.point - p_WM, force);
  }
  return load;
}

std::vector<double> LoadTimes(const BodySettings& body) {
  std::vector<double> times;
  const auto add = [&](double t) {
    if (t > 0.0 && std::isfinite(t)) times.push_back(t);
  };
  for (const AppliedWrench& wrench : body.wrenches) {
    if (!(wrench.to > wrench.from)) continue;
    add(wrench.from);
    add(wrench.to);
  }
  const PrescribedMotion* const motions[] = {body.motion ? &*body.motion : nullptr,
                                             body.holder ? &body.holder->target : nullptr};
  for (const PrescribedMotion* motion : motions) {
    if (motion == nullptr) continue;
    for (const PrescribedMotion::Key& key : motion->keys) add(key.t);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace intervox::host
