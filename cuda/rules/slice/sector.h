/** @file What the sides of a sector, planes through the axis, leave of a slice across it. */
#pragma once

#include "cuda/rules/slice/disc.h"
#include "cuda/rules/slice/walls.h"

namespace intervox::cuda::internal::slice {

/** (R15): a slice's disc between the sides of a sector and the floor's chord, about the axis. */
struct SectorSlice {
  DiscFigure figure;
  DiscLine line[kMostSectorSides + 1];  ///< the sides', and then the chord
  int lines = 0;
  bool chord = false;  ///< the floor cuts the disc

  /** Length of the floor's chord in it [m]. */
  INTERVOX_HD double Chord() const {
    const DiscLine& last = line[lines > 0 ? lines - 1 : 0];
    return chord && lines > 0 && !last.gone ? last.upper - last.lower : 0.0;
  }
};

/** The slice of a disc that the floor does not cut. */
INTERVOX_HD inline void SectorOf(const SliceFrame& frame, double r, SectorSlice* out) {
  out->lines = frame.sides;
  for (int i = 0; i < frame.sides; ++i) {
    out->line[i] = MakeLine(frame.side[i].n, {}, r, r, r);
  }
  if (!out->chord) out->figure = FigureOf(r, out->line, out->lines);
}

/** The slice that a disc and the floor's chord at x = `chord` from the axis bound. */
INTERVOX_HD inline void SectorOver(const SliceFrame& frame, const DiscOverFloor& disc, double chord,
                                   SectorSlice* out) {
  out->figure = {};
  out->lines = 0;
  out->chord = disc.rest > 0;
  if (!(disc.depth > 0) || !(disc.r > 0)) return;
  SectorOf(frame, disc.r, out);
  if (!out->chord) return;
  out->line[out->lines++] =
      MakeLine({-1.0, 0.0}, {chord, 0.0}, disc.depth, disc.rest, std::sqrt(disc.depth * disc.rest));
  out->figure = FigureOf(disc.r, out->line, out->lines);
}

/** Appends the τ at which the floor's chord ends on a wall and a side at once, or lies on the axis:
 with c the chord's place and r the wall's radius, c = r n across a side of the sector. */
INTERVOX_HD inline void AddSectorPlaces(const WallOverFloor& over, SlicePlaces* singular) {
  const Profile& wall = *over.wall;
  const SliceFrame& frame = *over.frame;
  const double c0 = frame.x0 - frame.axis_x, c1 = frame.cosine, z1 = frame.sine;
  for (int i = 0; i < frame.sides; ++i) {
    const double ray = frame.side[i].n.z;  // x̂ · the side's direction, from the axis or to it
    const auto add = [&](double a, double b, double c) {
      double roots[2];
      const int count = RealRoots(a, b, c, roots);
      for (int k = 0; k < count; ++k) singular->Add(roots[k]);
    };
    if (wall.side != 0.0) {
      const double along = frame.z0 - wall.apex;
      for (const double across : {c0 - ray * wall.major, c0 + ray * wall.major}) {
        add(c1 * c1 + ray * ray * z1 * z1, c1 * across + ray * ray * z1 * along,
            across * across + ray * ray * (along - wall.minor) * (along + wall.minor));
      }
    } else if (wall.straight) {
      const double r = wall.Radius(frame.z0), slope = wall.slope * z1;
      for (const double at : {-ray, ray}) singular->Add((at * r - c0) / (c1 - at * slope));
    } else {
      add(c1 * c1 - ray * ray * wall.c2 * z1 * z1,
          c0 * c1 - 0.5 * ray * ray * z1 * (wall.c1 + 2 * wall.c2 * frame.z0),
          c0 * c0 - ray * ray * wall.Square(frame.z0));
    }
  }
  singular->Add(-c0 / c1);
}

/** Area and first moments of a slice, about where the axis pierces y = 0 and x = 0 of the frame. */
struct SliceFace {
  double a = 0.0, x = 0.0, y = 0.0;
};

/** The part of a slice at z that one wall encloses. */
INTERVOX_HD inline SliceFace SliceOf(const WallOverFloor& over, double z,
                                     Place<SectorSlice>* room) {
  const SliceFrame& frame = *over.frame;
  DiscOverFloor disc;
  double chord = 0.0;
  if (frame.has_floor) {
    const double tau = (z - frame.z0) / frame.sine;
    disc = DiscAt(over, tau);
    if (!(disc.depth > 0) || !(disc.r > 0)) return {};
    chord = frame.x0 + frame.cosine * tau;
  } else {
    disc.r = over.wall->Radius(z);
  }
  const bool cut = frame.has_floor && disc.rest > 0;
  if (frame.sides > 0) {
    SectorSlice& sector = room->Make();
    if (cut) {
      SectorOver(frame, disc, chord - frame.axis_x, &sector);
    } else {
      SectorOf(frame, disc.r, &sector);
    }
    const PlaneMoments& m = sector.figure.moments;
    const Plane2& o = sector.figure.origin;
    return {m.a, m.x + (frame.axis_x + o.x) * m.a, m.z + o.z * m.a};
  }
  const SegmentMoments slice =
      cut ? Segment(disc.r, disc.depth, disc.rest, chord) : WholeDisc(disc.r, frame.axis_x);
  return {slice.a, slice.t + slice.at * slice.a, 0.0};
}

}  // namespace intervox::cuda::internal::slice
