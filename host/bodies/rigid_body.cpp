#include "host/bodies/rigid_body.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "host/contact/parameters.h"
#include "host/input/place.h"

namespace intervox::host {
namespace {

[[noreturn]] void Fail(const Scene& scene, const BodySettings& body, const std::string& key,
                       const std::string& what) {
  FailAt(body.places.Of(key), scene.path.string(),
         "bodies." + body.name + (key.empty() ? "" : "." + key), what);
}

bool IsFinite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/** Symmetric, positive, and the principal moments obey the triangle inequality. */
bool IsInertia(const Mat3& inertia) {
  const double trace = Trace(inertia);
  if (!(trace > 0) || !std::isfinite(trace)) return false;
  // E = ½ tr(I) 1 − I = ∫ρρᵀ must be positive semidefinite, and I positive definite.
  const Mat3 E = Mat3::Diagonal({0.5 * trace, 0.5 * trace, 0.5 * trace}) - inertia;
  const double slack = 1e-9 * trace;
  for (int i = 0; i < 3; ++i) {
    if (!(inertia(i, i) > 0) || E(i, i) < -slack) return false;
    for (int j = 0; j < 3; ++j) {
      if (!(std::fabs(inertia(i, j) - inertia(j, i)) <= slack)) return false;
    }
  }
  return Determinant(inertia) > 0 && Determinant(E) >= -slack * trace * trace;
}

}  // namespace

Mat3 InverseInertiaW(const RigidBody& body, const Mat3& R_WB) {
  return R_WB * body.inverse_inertia_M * Transpose(R_WB);
}

Vec3 TurnOf(const RigidBody& body, const Mat3& R_WB, const Vec3& spin) {
  return R_WB * (body.inverse_inertia_M * (Transpose(R_WB) * spin));
}

Pose FramePose(const RigidBody& body, const Vec3& p_WM, const Mat3& R_WB) {
  return {R_WB, p_WM - R_WB * body.p_BM};
}

Pose SetVelocities(RigidBody* body) {
  const Mat3 R_WB = ToRotation(body->q_WB);
  body->v = body->inverse_mass * body->momentum;
  body->w = TurnOf(*body, R_WB, body->spin);
  return FramePose(*body, body->p_WM, R_WB);
}

double KineticEnergy(const RigidBody& body) {
  return 0.5 * (Dot(body.momentum, body.v) + Dot(body.spin, body.w));
}

RigidBody MakeRigidBody(const Scene& scene, const BodySettings& settings,
                        const SolidMass& solid_mass) {
  RigidBody body;
  if (!IsFinite(settings.X_WB.p) || !IsFinite(settings.v_WB) || !IsFinite(settings.w_WB)) {
    Fail(scene, settings, "", "pose or velocity is not finite. Give finite numbers.");
  }
  body.q_WB = ToQuaternion(settings.X_WB.R);
  if (settings.motion) {
    body.kind = BodyKind::kDriven;
    if (!IsValid(*settings.motion)) {
      Fail(scene, settings, "motion",
           "key times must ascend, values must be finite and quaternions not zero. Correct the "
           "keys.");
    }
  } else if (settings.fixed) {
    body.kind = BodyKind::kFixed;
  }
  if (settings.holder && !IsValid(settings.holder->target)) {
    Fail(scene, settings, "holder",
         "the target's key times must ascend, values must be finite and quaternions not zero. "
         "Correct "
         "the keys.");
  }
  if (body.kind != BodyKind::kFree) {
    if (settings.center_of_mass) body.p_BM = *settings.center_of_mass;
    body.p_WM = settings.X_WB * body.p_BM;
    return body;
  }

  const bool complete = settings.mass && settings.inertia;
  if (!complete) {
    if (!solid_mass) {
      Fail(scene, settings, "",
           "a free body without a shape needs mass and inertia. Give both, or a shape.");
    }
    double density = 1.0;
    if (!settings.mass) {
      const auto material = scene.materials.find(settings.material);
      density = material == scene.materials.end() ? 0.0 : material->second.density.value_or(0.0);
      if (!(density > 0) || !std::isfinite(density)) {
        Fail(
            scene, settings, "mass",
            "is missing: the free body has no mass. Give mass, a material with a positive density, "
            "or fixed: true.");
      }
    }
    try {
      const MassProperties solid = solid_mass(density);
      body.mass = solid.mass;
      body.p_BM = solid.center_of_mass;
      body.inertia_M = solid.inertia;
    } catch (const std::invalid_argument& error) {
      Fail(scene, settings, settings.cells.empty() ? "shape" : "cells",
           std::string("no mass properties: ") + error.what() + ". Give mass and inertia.");
    }
  }
  if (settings.mass) {
    if (!(*settings.mass > 0) || !std::isfinite(*settings.mass)) {
      Fail(scene, settings, "mass",
           "must be positive and finite (" + NumberText(*settings.mass) + "). Give a mass in kg.");
    }
    if (!complete) {
      body.inertia_M = (*settings.mass / body.mass) * body.inertia_M;
    }
    body.mass = *settings.mass;
  }
  if (settings.inertia) body.inertia_M = *settings.inertia;
  if (settings.center_of_mass) body.p_BM = *settings.center_of_mass;
  if (!IsInertia(body.inertia_M)) {
    Fail(scene, settings, "inertia",
         "not the inertia of a solid: it must be symmetric, positive, and no principal moment may "
         "exceed the sum of the others. Correct it.");
  }
  body.inverse_mass = 1 / body.mass;
  body.inverse_inertia_M = Inverse(body.inertia_M);
  body.p_WM = settings.X_WB * body.p_BM;
  body.w = settings.w_WB;
  body.v = settings.v_WB + Cross(body.w, body.p_WM - settings.X_WB.p);
  body.momentum = body.mass * body.v;
  const Mat3& R = settings.X_WB.R;
  body.spin = R * (body.inertia_M * TransposeTimes(R, body.w));
  return body;
}

}  // namespace intervox::host
