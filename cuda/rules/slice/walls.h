/** @file The walls of a solid of revolution: where the floor is seen from them, and which of them
 * bound a slice. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/panel.h"
#include "cuda/rules/slice/profile.h"

namespace intervox::cuda::internal::slice {

/** (R1): a wall seen from the floor, by the coordinate τ along the floor's direction e:
 x = x₀ + cosine τ, z = z₀ + sine τ. */
struct WallOverFloor {
  const Profile* wall = nullptr;
  const SliceFrame* frame = nullptr;
  double depth0 = 0.0, depth1 = 0.0;  ///< straight walls: the depth is linear in τ
  double rest0 = 0.0, rest1 = 0.0;    ///< and so is what is left of the diameter
  double bend = 0.0;  ///< else r² − (x − axis)² = bend (τ − t₀)(t₁ − τ)
  double root[2] = {0.0, 0.0};
  bool real = false;
  double far_root[2] = {0.0, 0.0};  ///< of a torus, where its section begins or ends to be whole
  bool far_real = false;
};

/** A slice's disc under the floor. */
struct DiscOverFloor {
  double r = 0.0, depth = 0.0, rest = 0.0;
};

/** Prepares a wall. */
INTERVOX_HD inline void LookAtWall(const SliceFrame& frame, const Profile& wall,
                                   WallOverFloor* over) {
  WallOverFloor& out = *over;
  out.wall = &wall;
  out.frame = &frame;
  const double c = frame.x0 - frame.axis_x;
  if (wall.straight) {
    const double r = wall.Radius(frame.z0), slope = wall.slope * frame.sine;
    out.depth0 = r - c;
    out.depth1 = slope - frame.cosine;
    out.rest0 = r + c;
    out.rest1 = slope + frame.cosine;
  } else if (wall.side != 0.0) {
    // The floor's line meets the tube's circle, and its mirror image beyond the axis.
    const double along = frame.z0 - wall.apex, most = wall.minor * wall.minor;
    const auto meet = [&](double across, double* roots) {
      return RealRoots(1.0, frame.cosine * across + frame.sine * along,
                       across * across + along * along - most, roots) == 2;
    };
    out.real = meet(c - wall.major, out.root);
    out.far_real = meet(c + wall.major, out.far_root);
  } else {
    const double q0 = wall.Square(frame.z0);
    const double q1 = 0.5 * (wall.c1 + 2 * wall.c2 * frame.z0) * frame.sine;
    const double q2 = wall.c2 * frame.sine * frame.sine - frame.cosine * frame.cosine;
    out.bend = -q2;
    out.real = RealRoots(q2, q1 - c * frame.cosine, q0 - c * c, out.root) == 2;
  }
}

/** Appends where a wall's segments begin, fill their discs, or end. */
INTERVOX_HD inline void AddSingular(const WallOverFloor& over, SlicePlaces* singular) {
  const Profile& wall = *over.wall;
  const SliceFrame& frame = *over.frame;
  if (wall.straight) {
    singular->Add(-over.depth0 / over.depth1);
    singular->Add(-over.rest0 / over.rest1);
  }
  for (int k = 0; k < 2; ++k) {
    if (over.real) singular->Add(over.root[k]);
    if (over.far_real) singular->Add(over.far_root[k]);
  }
  singular->Add((wall.lower - frame.z0) / frame.sine);
  singular->Add((wall.upper - frame.z0) / frame.sine);
}

/** side w − u for w² − u² = product, without cancellation. */
INTERVOX_HD inline double BeyondSide(double side, double w, double u, double product) {
  return side * u > 0 ? product / (side * w + u) : side * w - u;
}

/** (R3): the disc at τ. Depths are computed without cancellation where they are small. */
INTERVOX_HD inline DiscOverFloor DiscAt(const WallOverFloor& over, double tau) {
  const Profile& wall = *over.wall;
  const SliceFrame& frame = *over.frame;
  DiscOverFloor out;
  out.r = wall.Radius(frame.z0 + frame.sine * tau);
  if (wall.straight) {
    out.depth = over.depth0 + over.depth1 * tau;
    out.rest = over.rest0 + over.rest1 * tau;
    return out;
  }
  const double c = frame.x0 - frame.axis_x + frame.cosine * tau;
  if (wall.side != 0.0) {
    const double w = wall.HalfTube(frame.z0 + frame.sine * tau);
    const auto beyond = [&](double u, bool real, const double* root) {
      const double product = real ? (tau - root[0]) * (root[1] - tau) : (w - u) * (w + u);
      return BeyondSide(wall.side, w, u, product);
    };
    out.depth = beyond(c - wall.major, over.real, over.root);
    out.rest = beyond(-c - wall.major, over.far_real, over.far_root);
    return out;
  }
  const double product =
      over.real ? over.bend * (tau - over.root[0]) * (over.root[1] - tau) : out.r * out.r - c * c;
  out.depth = c > 0 ? product / (out.r + c) : out.r - c;
  out.rest = out.r + c;
  return out;
}

/** A part of a slice between an outer wall and an inner one; −1: none. */
struct WallsAt {
  int outer = -1, inner = -1;
};

/** The parts of the solid's slice at a height, apart from each other. */
struct SliceParts {
  WallsAt part[kMostProfiles / 2 + 1];
  int count = 0;
};

/** Takes what lies between the walls i and i + 1 out of the parts. */
INTERVOX_HD inline void LeaveOut(const SlicedSolid& solid, double z, int i, SliceParts* parts) {
  const double low = solid.profile[i].Radius(z), high = solid.profile[i + 1].Radius(z);
  SliceParts left;
  for (int k = 0; k < parts->count; ++k) {
    const WallsAt& part = parts->part[k];
    const double inner = part.inner >= 0 ? solid.profile[part.inner].Radius(z) : 0.0;
    const double outer = solid.profile[part.outer].Radius(z);
    if (high <= inner || low >= outer) {
      left.part[left.count++] = part;
      continue;
    }
    if (low > inner) left.part[left.count++] = {i, part.inner};
    if (high < outer) left.part[left.count++] = {part.outer, i + 1};
  }
  *parts = left;
}

/** Between the innermost outer wall and the outermost inner one, but for what tori leave out. */
INTERVOX_HD inline SliceParts FindWalls(const SlicedSolid& solid, double z) {
  WallsAt at;
  double outer = INFINITY, inner = 0.0;
  for (int i = 0; i < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    if (p.gap) continue;
    const bool there = z > p.lower && z < p.upper;
    if (p.outer && !there) return {};
    const double r = there ? p.Radius(z) : 0.0;
    if (p.outer && r < outer) {
      outer = r;
      at.outer = i;
    } else if (!p.outer && r > inner) {
      inner = r;
      at.inner = i;
    }
  }
  SliceParts parts;
  if (at.outer < 0 || inner >= outer) return parts;
  parts.part[parts.count++] = at;
  for (int i = 0; i + 1 < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    if (p.gap && p.side < 0 && z > p.lower && z < p.upper) LeaveOut(solid, z, i, &parts);
  }
  return parts;
}

/** Appends where r = slope z + offset meets the circle of a torus' tube. */
template <class Add>
INTERVOX_HD void AddMeetings(const Profile& ring, double slope, double offset, const Add& add) {
  const double across = offset - ring.major;
  double roots[2];
  const int count =
      RealRoots(1.0 + slope * slope, slope * across - ring.apex,
                across * across + ring.apex * ring.apex - ring.minor * ring.minor, roots);
  for (int r = 0; r < count; ++r) add(roots[r]);
}

/** Appends where a wall meets a torus', by the line through the points of two circles. */
template <class Add>
INTERVOX_HD void AddRingBreaks(const Profile& ring, const Profile& q, const Add& add) {
  if (q.straight) {
    AddMeetings(ring, q.slope, q.slope != 0.0 ? -q.slope * q.apex : q.radius, add);
    return;
  }
  const bool is_ring = q.side != 0.0;
  const double major = is_ring ? q.major : 0.0, apex = is_ring ? q.apex : 0.5 * q.c1;
  const double square = is_ring ? q.minor * q.minor : q.c0 + apex * apex;
  const double apart = ring.major - major, along = ring.apex - apex;
  const double levels = apart * (ring.major + major) + along * (ring.apex + apex) -
                        (ring.minor * ring.minor - square);
  if (apart != 0.0) {
    AddMeetings(ring, -along / apart, 0.5 * levels / apart, add);
  } else if (along != 0.0) {
    add(0.5 * levels / along);
  }
}

/** Heights between two others at which another wall may become the innermost. */
INTERVOX_HD inline void FindBreaks(const SlicedSolid& solid, double lower, double upper,
                                   SlicePlaces* breaks) {
  const auto add = [&](double z) {
    if (z > lower && z < upper) breaks->Add(z);
  };
  for (int i = 0; i < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    add(p.lower);
    add(p.upper);
    for (int k = 0; k < i; ++k) {
      const Profile& q = solid.profile[k];
      if (p.side != 0.0 || q.side != 0.0) {
        if (p.side != 0.0) AddRingBreaks(p, q, add);
        if (p.side == 0.0) AddRingBreaks(q, p, add);
        continue;
      }
      double roots[2];
      const int count = RealRoots(p.c2 - q.c2, 0.5 * (p.c1 - q.c1), p.c0 - q.c0, roots);
      for (int r = 0; r < count; ++r) add(roots[r]);
    }
  }
}

}  // namespace intervox::cuda::internal::slice
