#include "host/contact/friction_goyal.h"

namespace intervox::host {

GoyalFriction::GoyalFriction(Parameters& p)
    : mu_(p.InRange("mu", PairFriction(p.material_i().friction, p.material_j().friction), 0.0, 1e3,
                    "Give a friction coefficient from 0 to 1000.")) {
  const std::string stiffness = "Give a tangential stiffness in N/m.";
  const std::string damping = "Give a tangential damping in N·s/m; without it nothing settles.";
  i_.k = p.InRange("stiffness", 0.0, 1e-12, 1e18, stiffness);
  i_.c = p.InRange("damping", 0.0, 1e-12, 1e18, damping);
  j_.k = p.InRange("stiffness_j", i_.k, 1e-12, 1e18, stiffness);
  j_.c = p.InRange("damping_j", i_.c, 1e-12, 1e18, damping);
}

Traction GoyalFriction::Evaluate(const Slip& x) const {
  Traction t;
  const double B_i = x.H * i_.k + i_.c, B_j = x.H * j_.k + j_.c;
  const double A = 1.0 / B_i + 1.0 / B_j;
  const auto sticking = [&](const Dual& v, double z, double z_j) {
    return (1.0 / A) * (v + Dual(i_.k * z / B_i + j_.k * z_j / B_j));
  };
  const Dual2 f{sticking(x.v.x, x.z[0], x.z_j[0]), sticking(x.v.y, x.z[1], x.z_j[1])};
  // The states θ hold lengths: an angle would store more, for nothing, as the patch widens.
  const double r = x.r_gyr > 0.0 ? x.r_gyr : 1.0;
  const double z_w = x.z_w / r, z_j_w = x.z_j_w / r;
  const Dual f_w = sticking(x.w, z_w, z_j_w);
  const Dual size = Hypot(Norm(f), f_w), limit = mu_ * x.f_n;
  const Dual share = size.v > limit.v ? limit / size : Dual(1.0);
  t.f = share * f;
  t.f_w = share * f_w;
  const auto deflect = [&](double force, double z, double z_j, double* rate, double* rate_j) {
    *rate = (force - i_.k * z) / B_i;
    *rate_j = (force - j_.k * z_j) / B_j;
    return i_.k * (z + x.H * *rate) * *rate + j_.k * (z_j + x.H * *rate_j) * *rate_j;
  };
  t.stored = deflect(t.f.x.v, x.z[0], x.z_j[0], &t.z_rate[0], &t.z_j_rate[0]) +
             deflect(t.f.y.v, x.z[1], x.z_j[1], &t.z_rate[1], &t.z_j_rate[1]);
  t.stored_w = deflect(t.f_w.v, z_w, z_j_w, &t.z_w_rate, &t.z_j_w_rate);
  t.z_w_rate *= r;
  t.z_j_w_rate *= r;
  return t;
}

}  // namespace intervox::host
