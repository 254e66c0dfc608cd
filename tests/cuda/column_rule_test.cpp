#include "cuda/rules/column/rule.h"

#include <gtest/gtest.h>

#include "geometry/surface_ray.h"
#include "tests/cuda/families.h"
#include "tests/cuda/leaf_pairs.h"
#include "tests/samples.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using testing::Answer;
using testing::Ask;
using testing::MakePair;
using testing::Moved;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

Answer Columns(const LocalPair& pair) {
  return Ask(pair, [](const LocalPair& p, Moments* m) { return ColumnRule(p, m); });
}

InterferenceMetrics Columns(const std::vector<Surface>& a, const std::vector<Surface>& b,
                            const Vec3& lower, const Vec3& upper, double tolerance) {
  const Answer got = Columns(MakePair(a, b, 0.5 * (lower + upper), lower, upper, tolerance));
  EXPECT_TRUE(got.result.accepted);
  EXPECT_LE(got.result.error, tolerance * got.metrics.volume);
  return got.metrics;
}

// The surface of a quadric that is a single cell of one surface.
Surface Quadric(const std::array<double, 10>& coefficients) {
  Surface s = intervox::testing::CellsOf(geometry::Quadric{coefficients})[0].surfaces[0];
  return s;
}

const Vec3 kReach{0.6, 0.6, 0.6};

TEST(ColumnRule, HalfToriByPappus) {
  const double major = 0.3, minor = 0.1;
  const double v = kPi * kPi * major * minor * minor;
  Random random(2);
  const Mat3 R = random.Rotation();
  const Surface torus = MakeTorus(major, minor, {R, {}});
  for (double tolerance : {1e-3, 1e-5, 1e-7}) {
    const double close = 0.3 * tolerance;
    // Across the axis: half rings; the centroid of the half disc is 4r/(3π) from the plane.
    const InterferenceMetrics flat =
        Columns({torus}, {MakePlane(R.Col(2), 0.0)}, -kReach, kReach, tolerance);
    EXPECT_NEAR(flat.volume / v, 1, close);
    EXPECT_LT(Norm(flat.p_WC + 4 * minor / (3 * kPi) * R.Col(2)), close * major);
    EXPECT_LT(Norm(flat.area_vector - 4 * kPi * major * minor * R.Col(2)),
              10 * close * 4 * kPi * major * minor);
    // Along the axis: half of the turn; the centroid is (4R² + r²)/(2πR) from the axis.
    const InterferenceMetrics half =
        Columns({torus}, {MakePlane(R.Col(0), 0.0)}, -kReach, kReach, tolerance);
    EXPECT_NEAR(half.volume / v, 1, close);
    const double reach = (4 * major * major + minor * minor) / (2 * kPi * major);
    EXPECT_LT(Norm(half.p_WC + reach * R.Col(0)), close * major);
    EXPECT_LT(Norm(half.area_vector - 2 * kPi * minor * minor * R.Col(0)),
              10 * close * 2 * kPi * minor * minor);
  }
}

// A paraboloid z ≥ k(x² + y²) under z ≤ a x + b: π (b + a²/4k)²/(2k).
TEST(ColumnRule, ParaboloidUnderATiltedPlane) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const double k = random.Uniform(1, 4), a = random.Uniform(0, 0.5),
                 b = random.Uniform(0.05, 0.2);
    const double h = b + a * a / (4 * k), v = kPi * h * h / (2 * k);
    const Pose X = random.RandomPose(0.1);
    const Surface bowl = Quadric({k, k, 0, 0, 0, 0, 0, 0, -1, 0});
    const Vec3 n = Normalized(Vec3{-a, 0, 1});
    const InterferenceMetrics m = Columns(Moved(X, {bowl}), Moved(X, {MakePlane(n, b * n.z)}),
                                          -2.0 * kReach, 2.0 * kReach, 1e-6);
    EXPECT_NEAR(m.volume / v, 1, 1e-6) << i;
  }
}

// A ball that dents a torus at any azimuth by d: paraboloids, V = π d²/√(κ₁κ₂) (1 + O(d)).
TEST(ColumnRule, ThinContactsAnywhereOnARing) {
  const double major = 0.3, minor = 0.1, radius = 0.15;
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const double d = random.LogUniform(1e-7, 1e-5);
    const double azimuth = random.Uniform(-kPi, kPi), around = random.Uniform(-1.2, 1.2);
    const Vec3 e{std::cos(azimuth), std::sin(azimuth), 0};
    const Vec3 n = std::cos(around) * e + std::sin(around) * Vec3{0, 0, 1};
    const Vec3 centre = major * e + (minor + radius - d) * n;
    const double rho = major + minor * std::cos(around);
    const double k1 = 1 / minor + 1 / radius, k2 = std::cos(around) / rho + 1 / radius;
    const Pose X = random.RandomPose(0.1);
    const Surface ball = MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), centre});
    const InterferenceMetrics m =
        Columns(Moved(X, {MakeTorus(major, minor)}), Moved(X, {ball}), -kReach, kReach, 1e-3);
    EXPECT_NEAR(m.volume / (kPi * d * d / std::sqrt(k1 * k2)), 1, 3e-4 + 30 * d) << i << " " << d;
    EXPECT_GT(Dot(Normalized(m.area_vector), -1.0 * (X.R * n)), 0.9999);
  }
}

// The volume of the pair by a lattice of rays, none of the rule's code.
double LatticeVolume(const std::vector<Surface>& surfaces, const Vec3& lower, const Vec3& upper,
                     int n) {
  const double dx = (upper.x - lower.x) / n, dy = (upper.y - lower.y) / n;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      std::vector<std::pair<double, double>> parts = {{lower.z, upper.z}};
      for (const Surface& s : surfaces) {
        std::vector<std::pair<double, double>> kept;
        for (const auto& [lo, hi] : parts) {
          const geometry::Intervals in = geometry::RayIntervals(
              s, {lower.x + (i + 0.5) * dx, lower.y + (j + 0.5) * dy, 0}, {0, 0, 1}, lo, hi);
          for (int k = 0; k < in.count; ++k) kept.push_back({in.lo[k], in.hi[k]});
        }
        parts = kept;
      }
      for (const auto& [lo, hi] : parts) sum += (hi - lo) * dx * dy;
    }
  }
  return sum;
}

TEST(ColumnRule, AgreesWithALatticeOfRays) {
  Random random(5);
  const Surface ring = MakeTorus(0.4, 0.15);
  const Surface saddle = Quadric({1, 1, -0.8, 0, 0, 0, 0, 0, 0, -0.06});
  const Surface egg = MakeEllipsoid({0.5, 0.35, 0.3});
  const std::vector<Surface> box = testing::BoxSurfaces({0.6, 0.5, 0.7});
  const std::vector<std::vector<Surface>> solids = {
      {ring}, {egg}, {Complement(ring), egg}, box, {saddle, egg}, {Complement(saddle), egg}};
  for (int i = 0; i < 36; ++i) {
    const std::vector<Surface> a = Moved(random.RandomPose(0.2), solids[i % 6]);
    std::vector<Surface> b = Moved(random.RandomPose(0.2), solids[i / 6]);
    const Vec3 reach{1, 1, 1};
    const LocalPair pair = MakePair(a, b, {}, -reach, reach, 1e-3);
    if (pair.planes == pair.count) continue;
    const Answer got = Columns(pair);
    ASSERT_TRUE(got.result.accepted) << i;
    b.insert(b.end(), a.begin(), a.end());
    const double v = LatticeVolume(b, -reach, reach, 300);
    EXPECT_NEAR(got.metrics.volume, v, got.result.error + 2e-3 * v + 1e-6) << i;
  }
}

// What is inside of a torus and what is outside of it make the whole, closely.
TEST(ColumnRule, InsideAndOutsideOfARing) {
  Random random(6);
  for (int i = 0; i < 10; ++i) {
    const std::vector<Surface> egg =
        Moved(random.RandomPose(0.3), {MakeEllipsoid({0.5, 0.4, 0.3})});
    const Surface ring = MakeTorus(0.4, 0.15);
    const double inside = Columns(egg, {ring}, -2.0 * kReach, 2.0 * kReach, 1e-5).volume;
    const double outside =
        Columns(egg, {Complement(ring)}, -2.0 * kReach, 2.0 * kReach, 1e-5).volume;
    const double whole = 4 * kPi / 3 * 0.5 * 0.4 * 0.3;
    EXPECT_NEAR((inside + outside) / whole, 1, 1e-5) << i;
  }
}

// Errors at 1e-3 against results at 1e-6, posed cells of all families: below what is stated.
void CheckStatedErrors(int count) {
  std::vector<intervox::testing::Family> families = intervox::testing::AllFamilies();
  families.push_back({"small torus", intervox::testing::CellsOf(geometry::Torus{0.3, 0.1})[0]});
  Random random(7);
  const int n = static_cast<int>(families.size());
  int done = 0, short_of = 0, far_off = 0;
  for (int i = 0; done < count; ++i) {
    const auto& a = families[i % n];
    const auto& b = families[i / n % n];
    PairQuery q{&a.cell, &b.cell, random.RandomPose(0.4), random.RandomPose(0.4)};
    q.rule = LeafRule::kColumn;
    const InterferenceMetrics m = ComputeMetrics(q);
    if (m.status == Status::kDisjoint || m.rule == LeafRule::kPolytope) continue;
    q.tolerance = 1e-6;
    const InterferenceMetrics fine = ComputeMetrics(q);
    if (!(m.volume > 0) || !(fine.volume_error < 1e-4 * fine.volume)) continue;
    ++done;
    const double off = std::fabs(m.volume - fine.volume) - fine.volume_error;
    EXPECT_LE(off, 1e-3 * m.volume) << a.name << ", " << b.name << " " << i;
    short_of += off > m.volume_error;
    far_off += off > 3 * m.volume_error;
  }
  EXPECT_LE(short_of, count / 100);
  EXPECT_LE(far_off, count / 1000);
}

TEST(ColumnRule, StatedErrorsHold) { CheckStatedErrors(100); }
TEST(SlowColumnRule, StatedErrorsHold) { CheckStatedErrors(intervox::testing::Samples(750)); }

const geometry::Cell& CellNamed(const std::vector<intervox::testing::Solid>& solids,
                                const std::string& name) {
  for (const intervox::testing::Solid& solid : solids) {
    if (solid.name == name) return solid.cells[0];
  }
  ADD_FAILURE() << name;
  return solids[0].cells[0];
}

// Largest |V / expected − 1| over the pair's frames.
double WorstOverFrames(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_AB,
                       int frames, unsigned seed, double expected) {
  Random random(seed);
  double worst = 0;
  for (int i = 0; i < frames; ++i) {
    const Pose X_WA = random.RandomPose(1);
    PairQuery query{&a, &b, X_WA, X_WA * X_AB};
    query.rule = LeafRule::kColumn;
    const InterferenceMetrics m = ComputeMetrics(query);
    EXPECT_EQ(m.status, Status::kOk) << i;
    worst = std::max(worst, std::fabs(m.volume / expected - 1));
  }
  return worst;
}

// The witness of another rule.
double VolumeBy(LeafRule rule, double tolerance, const geometry::Cell& a, const geometry::Cell& b,
                const Pose& X_AB) {
  PairQuery query{&a, &b, {}, X_AB};
  query.rule = rule;
  query.tolerance = tolerance;
  const InterferenceMetrics m = ComputeMetrics(query);
  EXPECT_EQ(m.status, Status::kOk);
  return m.volume;
}

// The volume of two cells by rays, askew to the planes of both.
double LatticeVolume(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_AB, int n) {
  Random random(6);
  const Pose X{random.Rotation(), {}};
  std::vector<Surface> surfaces = Moved(X * X_AB, b.surfaces);
  for (const Surface& s : a.surfaces) surfaces.push_back(X * s);
  const Vec3 p = X * a.bounds.X.p;
  const double reach = Norm(a.bounds.half);
  return LatticeVolume(surfaces, p - Vec3{reach, reach, reach}, p + Vec3{reach, reach, reach}, n);
}

const std::vector<intervox::testing::Solid>& Solids() {
  static const std::vector<intervox::testing::Solid> solids = [] {
    std::vector<intervox::testing::Solid> out = intervox::testing::MoreSolids();
    for (const intervox::testing::Family& f : intervox::testing::AllFamilies()) {
      if (f.name == "holed box") out.push_back({f.name, {f.cell}, {}});
    }
    return out;
  }();
  return solids;
}

// Where the saddle ends below follows from its box' sides, which the overlap's polytope does not
// reach: Prepare must keep them, or the volume depends on the frame.
TEST(ColumnRule, SaddleInAHoledBoxFromAnyFrame) {
  const geometry::Cell& box = CellNamed(Solids(), "holed box");
  const geometry::Cell& saddle = CellNamed(Solids(), "saddle");
  const Pose X{Mat3{{-0.66824284823328073, 0.53612144745095769, 0.51577639473725645},
                    {0.74104312852460152, 0.54084809509120046, 0.39791760416283434},
                    {-0.065624518676656418, 0.64811814634317211, -0.75870698621348365}},
               {0.088394641633644633, 0.32386190849657398, -0.24664252575110396}};
  const double lattice = LatticeVolume(saddle, box, Inverse(X), 400);
  EXPECT_LT(WorstOverFrames(box, saddle, X, 20, 1, lattice), 2e-3);
}

// To 1e-9 columns take rules of twice as many points: random pairs, each against two parts of it.
// By rules of seven sections and fifteen columns a panel they took some 65,000 columns in the mean.
TEST(ColumnRule, SaddlesMeet1em9) {
  Random random(31);
  using intervox::testing::CellsOf;
  const geometry::Cell& saddle = CellNamed(Solids(), "saddle");
  const geometry::Cell others[] = {
      CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}})[0], CellsOf(geometry::Cylinder{0.3, 0.8})[0],
      CellsOf(geometry::Cone{0.4, 0.1, 0.7})[0], CellNamed(Solids(), "holed box"), saddle};
  constexpr int kPairs = 24;
  double columns = 0;
  for (int i = 0, found = 0; found < kPairs; ++i) {
    const geometry::Cell& other = others[i % 5];
    PairQuery query{&other, &saddle, random.RandomPose(0.5), {}, 1e-9};
    query.rule = LeafRule::kColumn;
    const InterferenceMetrics whole = ComputeMetrics(query);
    if (!(whole.volume > 1e-5)) continue;
    ++found;
    columns += whole.work / static_cast<double>(kPairs);
    EXPECT_LE(whole.volume_error, 1e-9 * whole.volume) << i;
    const Vec3 n = random.Direction();
    double sum = 0, error = whole.volume_error;
    for (const double side : {-1.0, 1.0}) {
      std::vector<Surface> surfaces(saddle.surfaces.begin(), saddle.surfaces.end());
      surfaces.push_back(MakePlane(side * n, side * Dot(n, whole.p_WC)));
      const geometry::Cell part = geometry::MakeCell(surfaces, "part");
      query.b = &part;
      const InterferenceMetrics metrics = ComputeMetrics(query);
      sum += metrics.volume;
      error += metrics.volume_error;
    }
    EXPECT_NEAR(sum, whole.volume, error + 1e-13 * whole.volume) << i;
  }
  EXPECT_LT(columns, 26000);
}

// What is stated is a share of what nested rules differ by at least: without it three times as much
// was missed as stated.
TEST(ColumnRule, FineRulesStateAShareOfWhatTheyDifferBy) {
  const geometry::Cell cone = intervox::testing::CellsOf(geometry::Cone{0.4, 0.1, 0.7})[0];
  const geometry::Cell& saddle = CellNamed(Solids(), "saddle");
  const Quaternion q{-0.8641617267924614, 0.07654300872141079, 0.442213780314727,
                     -0.22762392286994668};
  const Pose X{ToRotation(Normalized(q)),
               {0.022534945359485414, -0.29701274024173335, -0.2573578381250386}};
  const InterferenceMetrics rough = ComputeMetrics({&cone, &saddle, X, {}, 1e-9});
  const InterferenceMetrics exact = ComputeMetrics({&cone, &saddle, X, {}, 1e-11});
  EXPECT_EQ(rough.rule, LeafRule::kColumn);
  EXPECT_LT(exact.volume_error, 1e-11 * exact.volume);
  EXPECT_NEAR(rough.volume, exact.volume, rough.volume_error + exact.volume_error);
}

// Where sections themselves err in S by more than is asked for, more of them do not help: two
// saddles took 100,000 columns, all but a few thousand of them after V had met the tolerance.
TEST(ColumnRule, EndsWhereNothingIsToBeGained) {
  const geometry::Cell& saddle = CellNamed(Solids(), "saddle");
  const Quaternion q{-0.16601624586517874, 0.8981164630631978, 0.2843267477729304,
                     0.2915196826709175};
  const Pose X{ToRotation(Normalized(q)),
               {-0.17024024851486247, 0.05278361155482614, 0.12390017262060682}};
  const InterferenceMetrics found = ComputeMetrics({&saddle, &saddle, X, {}, 1e-9});
  EXPECT_LT(found.volume_error, 1e-9 * found.volume);
  EXPECT_LT(found.work, 60000);
}

// A part of 1 cm³ beside one of 2 dm³: seen only in boxes of a quarter of the run.
TEST(ColumnRule, SmallPartBesideALargeOne) {
  const geometry::Cell& hyperboloid = CellNamed(Solids(), "hyperboloid");
  const geometry::Cell& saddle = CellNamed(Solids(), "saddle");
  const Pose X{Mat3{{0.72925696146203745, -0.31088898501941536, -0.60953451350416121},
                    {-0.59310863637708233, 0.15697870578720902, -0.78967071072966299},
                    {0.34118386482082497, 0.93739304719150263, -0.069913127972897393}},
               {0.32998562752466704, -0.15454948714113345, 0.24218354378748752}};
  const double clip = VolumeBy(LeafRule::kClip, 3e-5, hyperboloid, saddle, X);
  EXPECT_LT(WorstOverFrames(hyperboloid, saddle, X, 100, 5, clip), 1e-4);
}

// A ball of 99.5 mm in a groove of 100 mm: a strip of 8 mm, from which the groove's flat side cuts
// 7 % that are 4 % of the ball long. The flux rule is the witness.
TEST(ColumnRule, BallInAGrooveFromAnyFrame) {
  const std::vector<intervox::testing::Fit> fits = intervox::testing::Fits();
  const geometry::Cell &ball = fits[2].part.cells[0], &groove = fits[2].seat.cells[0];
  const Pose X{Mat3{{0.99999954185597129, 0.00082480106745752568, 0.00048578909715224494},
                    {-0.00082451404564481967, 0.99999948560100804, -0.00059074047496548987},
                    {-0.00048627609063678356, 0.00059033966438737373, 0.99999970751727951}},
               {0.00033453553481421761, -8.6040739567305735e-05, 0.00057580340596330437}};
  const double flux = VolumeBy(LeafRule::kFlux, PairQuery{}.tolerance, groove, ball, X);
  EXPECT_LT(WorstOverFrames(groove, ball, X, 300, 5, flux), 1e-3);
}

// An ellipsoid at the rim of a hole: some sections run along the hole's axis, so that its wall is a
// pair of lines along the columns, and the cells' cut planes meet where the wall meets their faces.
// What rounding finds there must not count as something that happens: it took 100,000 columns.
TEST(ColumnRule, EllipsoidAtAHolesRimTakesFewColumns) {
  using geometry::Leaf;
  using geometry::Operation;
  using geometry::Tree;
  const auto block =
      geometry::ToCells(*Tree(Operation::kDifference, {Leaf(geometry::Box{{1.0, 0.8, 0.46}}),
                                                       Leaf(geometry::Cylinder{0.27, 1.0})}));
  const auto ball = intervox::testing::CellsOf(geometry::Ellipsoid{{0.5, 0.35, 0.5}});
  Random random(44);
  int overlaps = 0;
  for (int k = 0; k < 300; ++k) {
    const double angle = random.Uniform(0, 2 * kPi);
    const Vec3 at{0.27 * std::cos(angle), 0.27 * std::sin(angle), 0.23 + random.Uniform(0.2, 0.45)};
    const Pose X{random.Rotation(), at};
    for (const geometry::Cell& cell : block) {
      PairQuery query{&cell, &ball[0], {}, X};
      query.tolerance = 1e-3;
      query.rule = LeafRule::kColumn;
      const InterferenceMetrics got = ComputeMetrics(query);
      if (got.status == Status::kDisjoint) continue;
      ++overlaps;
      EXPECT_EQ(got.status, Status::kOk) << k;
      EXPECT_LT(got.work, 20000) << k;
    }
  }
  EXPECT_GT(overlaps, 200);
}

// Two cones across each other whose flat ends are turned by a hair out of the box of the sections:
// the sections end at the flat ends, and not at the box. The same without the hair is the witness.
TEST(ColumnRule, EndsAtFacesAlmostAlongItsBox) {
  using intervox::testing::CellsOf;
  const geometry::Cell a = CellsOf(geometry::Cone{0.0, 0.25, 0.5})[0];
  const geometry::Cell b = CellsOf(geometry::Cone{0.0, 0.25, 0.25})[0];
  const Mat3 quarter{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, half{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  PairQuery query{&a, &b, {quarter, {0.25, 0, -0.5}}, {half, {0, -0.25, -0.25}}};
  query.tolerance = 1e-4;
  query.rule = LeafRule::kClip;
  const InterferenceMetrics clip = ComputeMetrics(query);
  ASSERT_EQ(clip.status, Status::kOk);
  query.rule = LeafRule::kColumn;
  Random random(14);
  for (int i = 0; i < 40; ++i) {
    const double hair = random.LogUniform(1e-13, 1e-7);
    const auto turned = [&](const Mat3& R) {
      const Vec3 w = hair * random.Direction();
      return ToRotation(Normalized(Quaternion{1, w.x, w.y, w.z})) * R;
    };
    query.X_WA.R = turned(quarter);
    query.X_WB.R = turned(half);
    const InterferenceMetrics m = ComputeMetrics(query);
    ASSERT_EQ(m.status, Status::kOk) << hair;
    EXPECT_NEAR(m.volume / clip.volume, 1, 2e-4) << hair;
  }
}

// The same about a torus' axis: what a box has left outside of a ring.
TEST(ColumnRule, EndsAtFacesAlmostAcrossARingsAxis) {
  const double reach = 0.5;
  const Vec3 upper{reach, reach, reach};
  const std::vector<Surface> box = testing::BoxSurfaces(2.0 * upper);
  const Surface outside = Complement(MakeTorus(0.5, 0.25, {Mat3::Identity(), {0.3, 0.4, 0.5}}));
  const auto volume = [&](const std::vector<Surface>& surfaces) {
    return Columns(surfaces, {outside}, -upper, upper, 1e-4).volume;
  };
  const double v = volume(box);
  Moments clip;
  ClipRule(MakePair(box, {outside}, {}, -upper, upper, 1e-4), &clip);
  EXPECT_NEAR(v / clip.v, 1, 2e-4);
  Random random(15);
  for (int i = 0; i < 40; ++i) {
    const double hair = random.LogUniform(1e-13, 1e-7);
    const Vec3 w = hair * random.Direction();
    const Mat3 R = ToRotation(Normalized(Quaternion{1, w.x, w.y, w.z}));
    EXPECT_NEAR(volume(Moved({R, {}}, box)) / v, 1, 1e-4) << hair;
  }
}

// A flange of no thickness: the hole's section touches both sides of the box, in the middle of a
// panel. Clipping is the witness.
TEST(ColumnRule, HoleThatTouchesBothSides) {
  const std::vector<intervox::testing::Fit> fits = intervox::testing::Fits();
  const geometry::Cell &groove = fits[2].seat.cells[0], &bowl = CellNamed(Solids(), "paraboloid");
  const Pose X{Mat3{{-0.42244686640886397, -0.74223111623502103, -0.52022265920838728},
                    {0.7030590991073502, -0.63057561904415327, 0.3287587136935593},
                    {-0.57205467240788477, -0.22686418571382583, 0.78821703420866918}},
               {0.25748810857944998, 0.06004819676827107, -0.098757435877419975}};
  const double clip = VolumeBy(LeafRule::kClip, 3e-5, groove, bowl, X);
  EXPECT_LT(WorstOverFrames(groove, bowl, X, 60, 5, clip), 3e-5);
}

// Twenty planes and a hole that cuts a corner off what they leave: 1e-5 of V but a fiftieth of S,
// seen only where faces say that something happens.
TEST(ColumnRule, EventsOnFacesAreNotMissed) {
  const geometry::Cell &box = CellNamed(Solids(), "holed box"),
                       &wedge = CellNamed(Solids(), "half-spaces");
  const Pose X{Mat3{{-0.4759205227793995, -0.72232297276330193, -0.50174613004563273},
                    {-0.79422197732500599, 0.10792907782447272, 0.59796552149259929},
                    {-0.37777123597666962, 0.68308186711282626, -0.62505044283666755}},
               {0.19056227039510057, 0.1431169740034382, 0.07341806828188048}};
  PairQuery query{&box, &wedge, {}, X};
  query.tolerance = 1e-6;
  query.rule = LeafRule::kClip;
  const InterferenceMetrics clip = ComputeMetrics(query);
  query.rule = LeafRule::kColumn;
  query.tolerance = 3e-5;
  const InterferenceMetrics columns = ComputeMetrics(query);
  EXPECT_EQ(columns.status, Status::kOk);
  EXPECT_NEAR(columns.volume / clip.volume, 1, 1e-6);
  EXPECT_LT(Norm(columns.area_vector - clip.area_vector), 3e-4 * Norm(clip.area_vector));
}

/** Two solids that took many columns at 1e-9, V by the rule at 1e-11 and the most that they may
 * take. */
struct CostlyPair {
  const char* name;
  geometry::ShapePtr a, b;
  Quaternion turn;
  Vec3 shift;
  double volume;
  int columns;
};

std::vector<CostlyPair> CostlyPairs() {
  using geometry::Leaf;
  using geometry::Operation;
  using geometry::Tree;
  const auto torus = Leaf(geometry::Torus{0.4, 0.15});
  const auto saddle =
      Tree(Operation::kIntersection, {Leaf(geometry::Quadric{{2, -1, 0, 0, 0, 0, 0, 0, -0.4, 0}}),
                                      Leaf(geometry::Box{{0.7, 0.6, 0.5}})});
  const auto tube = Tree(Operation::kDifference,
                         {Leaf(geometry::Cylinder{0.4, 0.6}), Leaf(geometry::Cylinder{0.3, 2})});
  const Quaternion third{-0.6837922163529254, -0.15126069142699625, -0.447644244471747,
                         0.5560243146441529};
  const Vec3 beside{-0.3588686153687478, 0.15810184696715468, 0.38363061935220977};
  const Quaternion tenth{-0.16601624586517874, 0.8981164630631978, 0.2843267477729304,
                         0.2915196826709175};
  const Vec3 near{-0.17024024851486247, 0.05278361155482614, 0.12390017262060682};
  return {{"torus and tube", torus, tube, third, beside, 0.012649927459307, 50000},
          {"tube and saddle", tube, saddle, tenth, near, 0.014792296572046, 35000},
          {"cylinder and prism", Leaf(geometry::Cylinder{0.3, 0.8}),
           Leaf(geometry::Prism{6, 0.4, 0.5}), tenth, near, 0.114821654487226, 30000},
          {"tip and saddle",
           Leaf(geometry::Cone{0.4, 0.0, 0.7}),
           saddle,
           {-0.29576358085670895, -0.9483162873118707, 0.09636061953077704, 0.0627276212006441},
           {0.16812894468057304, -0.08112113017343614, 0.46431889050481623},
           0.000301248104933149,
           12000},
          // A torus' section that is about to part: its curve almost turns back.
          {"two tori",
           torus,
           torus,
           {0.004897364365511623, -0.1657698259580233, 0.7783543974558262, 0.6055252369516038},
           {0.33101890539807, -0.3075340312300955, -0.24650230719822824},
           0.027712037760584,
           60000}};
}

// At 1e-9 what is narrow costs little, rules are refined before panels are divided, and they are
// divided beside what almost is a fold.
TEST(ColumnRule, FineTolerancesTakeFewColumns) {
  Random random(14);
  for (const CostlyPair& pair : CostlyPairs()) {
    const geometry::Cell a = geometry::ToCells(*pair.a)[0], b = geometry::ToCells(*pair.b)[0];
    for (int k = 0; k < 3; ++k) {
      const Pose X = k == 0 ? Pose{} : random.RandomPose(0.5);
      const Pose of_a = X * Pose{ToRotation(Normalized(pair.turn)), pair.shift};
      PairQuery query{&a, &b, of_a, X, 1e-9};
      query.rule = LeafRule::kColumn;
      const InterferenceMetrics m = ComputeMetrics(query);
      EXPECT_EQ(m.status, Status::kOk) << pair.name;
      EXPECT_NEAR(m.volume, pair.volume, m.volume_error + 1e-11 * pair.volume) << pair.name;
      EXPECT_LT(m.work, pair.columns) << pair.name;
    }
  }
}

// Columns of more parts than there is room for: seven holes above each other.
TEST(ColumnRule, RefusesWhatItHasNoRoomFor) {
  for (const int holes : {3, 7}) {
    const double radius = 0.04, pitch = 0.1, high = pitch * holes;
    std::vector<Surface> drilled = testing::BoxSurfaces({2, 1, high});
    for (int i = 0; i < holes; ++i) {
      const Vec3 centre{0, 0, pitch * (i - 0.5 * (holes - 1))};
      const Mat3 across = Mat3::FromColumns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
      drilled.push_back(Complement(MakeCylinder(radius, {across, centre})));
    }
    const LocalPair pair = MakePair(drilled, {}, {}, -2.0 * kReach, 2.0 * kReach, 1e-4);
    const Answer got = Columns(pair);
    EXPECT_EQ(got.result.accepted, holes < 6) << holes;
    if (!got.result.accepted) continue;
    const double v = 2 * (high - holes * kPi * radius * radius);
    EXPECT_NEAR(got.metrics.volume, v, 1e-4 * v);
  }
}

TEST(ColumnRule, RefusesPlanesAlone) {
  Random random(8);
  const LocalPair pair = MakePair(testing::BoxSurfaces({1, 1, 1}),
                                  Moved(random.RandomPose(0.1), testing::BoxSurfaces({1, 1, 1})),
                                  {}, -kReach, kReach, 1e-3);
  EXPECT_FALSE(Columns(pair).result.accepted);
}

}  // namespace
}  // namespace intervox::cuda
