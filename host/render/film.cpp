#include "host/render/film.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "host/input/error.h"
#include "host/render/marks.h"
#include "host/results/column_file.h"
#include "host/scene/reader.h"

namespace intervox::host {
namespace {

constexpr Color kFixedColor{0.30, 0.37, 0.45};
constexpr std::array<Color, 5> kFreeColors = {{{0.83, 0.42, 0.07},
                                               {0.12, 0.45, 0.36},
                                               {0.45, 0.20, 0.48},
                                               {0.62, 0.50, 0.08},
                                               {0.10, 0.33, 0.60}}};
constexpr double kFilled = 0.94;  // of the picture, by the bodies
constexpr double kNear = 1.0;     // of the scene's size: what is farther off has flown away
constexpr double kGone = 30.0;    // the same: what goes farther leaves, even if it rolls
// Of the scene's radius: joints, their rods, bodies below which a ball shows them, and that ball.
constexpr double kJoint = 0.016, kRod = 0.006, kSmall = 0.02, kDot = 0.012;
constexpr double kDarker = 0.45;    // colour of what is added to a body
constexpr double kForceUnit = 1.0;  // [N]: arrows of smaller forces are short

Vec3 VectorAt(const std::vector<double>& values, std::size_t row, std::size_t width = 3,
              std::size_t offset = 0) {
  const double* v = &values[row * width + offset];
  return {v[0], v[1], v[2]};
}

/** The corner of a cell's bounds with the given signs. */
Vec3 Corner(const geometry::Cell& cell, int signs) {
  const Vec3 s{(signs & 1) != 0 ? 1.0 : -1.0, (signs & 2) != 0 ? 1.0 : -1.0,
               (signs & 4) != 0 ? 1.0 : -1.0};
  return cell.bounds.X * Scaled(s, cell.bounds.half);
}

/** An axis-aligned box that grows. */
struct Extent {
  Vec3 lower{1e300, 1e300, 1e300};
  Vec3 upper{-1e300, -1e300, -1e300};

  /** Distance of another box. */
  double Gap(const Extent& other) const {
    return Norm(Max({}, Max(lower - other.upper, other.lower - upper)));
  }
  bool IsEmpty() const { return lower.x > upper.x; }
  void Add(const Vec3& p) {
    lower = Min(lower, p);
    upper = Max(upper, p);
  }
  void Add(const FilmBody& body, const Pose& X_WB) {
    for (const geometry::Cell& cell : body.cells) {
      for (int signs = 0; signs < 8; ++signs) Add(X_WB * Corner(cell, signs));
    }
  }
};

bool IsBall(const FilmBody& body) {
  return body.cells.size() == 1 && body.cells[0].surfaces.size() == 1 &&
         body.cells[0].surfaces[0].kind == geometry::SurfaceKind::kEllipsoid;
}

/** Whether a body goes where its scene takes it. */
bool IsLed(const BodySettings& body) { return body.motion || body.holder; }

/** Which bodies end farther than `reach` from where all start [m]. */
std::vector<bool> Leaving(const Scene& scene, std::span<const FilmBody> bodies, const Extent& near,
                          double reach) {
  std::vector<bool> leaves(bodies.size(), false);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].is_bounded || bodies[b].cells.empty() || IsLed(scene.bodies[b])) continue;
    Extent last;
    last.Add(bodies[b], bodies[b].poses.back());
    leaves[b] = near.Gap(last) > reach;
  }
  return leaves;
}

}  // namespace

Color BodyColor(bool is_fixed, std::size_t k) {
  return is_fixed ? kFixedColor : kFreeColors[k % kFreeColors.size()];
}

Film::Film(const std::filesystem::path& results) {
  const ColumnFile file = ColumnFile::Read(results);
  const std::string schema = file.Attribute("schema");
  if (schema != "intervox/results/1") {
    throw InputError(results.string() + ": schema: expected intervox/results/1 (" +
                     (schema.empty() ? "none" : schema) +
                     "). Give a file that `intervox run` wrote.");
  }
  scene_ = ParseScene(file.Attribute("scene"), results);
  times_ = file.Values("time");
  if (times_.empty()) {
    throw InputError(
        results.string() +
        ": time: no samples (0). Let the simulation run for one output step at least.");
  }
  std::size_t others = 0;
  for (const BodySettings& settings : scene_.bodies) {
    FilmBody body;
    body.name = settings.name;
    const SolidCells* solid = solids_.Of(scene_, settings);
    if (solid != nullptr) body.cells = solid->whole;
    body.is_fixed = settings.fixed;
    body.color = BodyColor(settings.fixed, others);
    others += settings.fixed ? 0 : 1;
    body.is_bounded = std::all_of(body.cells.begin(), body.cells.end(),
                                  [](const geometry::Cell& c) { return c.bounded; });
    const std::string group = "bodies/" + settings.name;
    const std::vector<double> p = file.Values(group + "/position");
    const std::vector<double> q = file.Values(group + "/orientation");
    for (std::size_t k = 0; k < times_.size(); ++k) {
      const Quaternion q_WB{q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]};
      body.poses.push_back({ToRotation(Normalized(q_WB)), VectorAt(p, k)});
    }
    bodies_.push_back(std::move(body));
  }
  const std::vector<double> index = file.Values("patches/time_index");
  const std::vector<double> body_i = file.Values("patches/body_i");
  const std::vector<double> body_j = file.Values("patches/body_j");
  const std::vector<double> volume = file.Values("patches/volume");
  const std::vector<double> centroid = file.Values("patches/centroid");
  const std::vector<double> normal = file.Values("patches/normal");
  const std::vector<double> inertia = file.Values("patches/inertia");
  const std::vector<double> force = file.Values("patches/force");
  const std::vector<double> area = file.Values("patches/area_vector");
  for (std::size_t k = 0; k < index.size(); ++k) {
    contacts_.push_back(
        {static_cast<int>(body_i[k]),
         static_cast<int>(body_j[k]),
         volume[k],
         VectorAt(centroid, k),
         VectorAt(normal, k),
         VectorAt(force, k),
         VectorAt(area, k),
         {VectorAt(inertia, k, 9), VectorAt(inertia, k, 9, 3), VectorAt(inertia, k, 9, 6)}});
  }
  for (int sample = 0; sample <= Samples(); ++sample) {
    first_contact_.push_back(static_cast<int>(
        std::lower_bound(index.begin(), index.end(), static_cast<double>(sample)) - index.begin()));
  }
  FindExtent();
  MarkJoints();
  MarkSmallBodies();
}

int Film::SampleAt(double time) const {
  const auto after = std::lower_bound(times_.begin(), times_.end(), time);
  if (after == times_.end()) return Samples() - 1;
  const int k = static_cast<int>(after - times_.begin());
  return k > 0 && time - times_[k - 1] < times_[k] - time ? k - 1 : k;
}

int Film::Contacts(int sample) const { return first_contact_[sample + 1] - first_contact_[sample]; }

std::span<const FilmContact> Film::ContactsAt(int sample) const {
  return std::span(contacts_).subspan(first_contact_[sample], Contacts(sample));
}

void Film::FindExtent() {
  Extent near;  // what stands still, where the others start, and where they touch
  for (const FilmBody& body : bodies_) {
    if (body.is_bounded && !body.cells.empty()) near.Add(body, body.poses.front());
  }
  for (const JointSettings& joint : scene_.joints) {
    if (joint.type == JointType::kPrismatic) continue;
    near.Add(PointOf(joint));
    corners_.emplace_back(static_cast<int>(IndexOf(joint.bodies.first)), PointOf(joint));
  }
  if (near.IsEmpty()) return;
  const std::vector<bool> leaves =
      Leaving(scene_, bodies_, near, kGone * Norm(near.upper - near.lower));
  for (const FilmContact& contact : contacts_) {
    if (!leaves[contact.body_i] && !leaves[contact.body_j]) near.Add(contact.p_WC);
  }
  const double reach = contacts_.empty() ? std::numeric_limits<double>::infinity()
                                         : kNear * Norm(near.upper - near.lower);
  Extent all = near;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const FilmBody& body = bodies_[b];
    if (!body.is_bounded || body.cells.empty()) continue;
    const int stride = std::max(1, Samples() / 20);
    const bool is_led = IsLed(scene_.bodies[b]);
    bool flies_away = false;
    for (int k = 0; k < Samples(); k += body.is_fixed ? Samples() : stride) {
      Extent here;
      here.Add(body, body.poses[k]);
      if (!is_led && near.Gap(here) > reach) {
        flies_away = true;
        continue;
      }
      all.Add(here.lower);
      all.Add(here.upper);
      for (const geometry::Cell& cell : body.cells) {
        for (int signs = 0; signs < 8; ++signs) {
          corners_.emplace_back(static_cast<int>(b), body.poses[k] * Corner(cell, signs));
        }
      }
    }
    if (flies_away) flown_away_.push_back(body.name);
  }
  centre_ = 0.5 * (all.lower + all.upper);
  radius_ = 0;
  for (const auto& [body, p] : corners_) radius_ = std::max(radius_, Norm(p - centre_));
}

std::size_t Film::IndexOf(const std::string& body) const {
  const auto found = std::find_if(bodies_.begin(), bodies_.end(),
                                  [&](const FilmBody& other) { return other.name == body; });
  return static_cast<std::size_t>(found - bodies_.begin());
}

/** Where a joint is at the start. */
Vec3 Film::PointOf(const JointSettings& joint) const {
  const Vec3& point = joint.frame.point;
  return joint.in_body ? bodies_[IndexOf(joint.bodies.first)].poses.front() * point : point;
}

/** A ball at each joint's point, and a rod from there to each moving body's frame: it shows where
 the body does not reach its joint. A prismatic joint has no place. */
void Film::MarkJoints() {
  for (const JointSettings& joint : scene_.joints) {
    if (joint.type == JointType::kPrismatic) continue;
    const std::size_t first = IndexOf(joint.bodies.first);
    for (const std::size_t b : {first, IndexOf(joint.bodies.second)}) {
      if (b == bodies_.size()) continue;  // the world
      const Vec3 p_BJ = Inverse(bodies_[b].poses.front()) * PointOf(joint);
      if (b == first) marks_.push_back({b, internal::BallCells(p_BJ, kJoint * radius_)});
      if (!bodies_[b].is_fixed) marks_.push_back({b, internal::RodCells({}, p_BJ, kRod * radius_)});
    }
  }
}

void Film::MarkSmallBodies() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const FilmBody& body = bodies_[b];
    if (!body.is_bounded || body.cells.empty()) continue;
    Extent extent;
    extent.Add(body, Pose{});
    if (Norm(extent.upper - extent.lower) > kSmall * radius_) continue;
    marks_.push_back({b, internal::BallCells(0.5 * (extent.lower + extent.upper), kDot * radius_)});
  }
}

Camera Film::PlaceCamera(const FilmOptions& options) const {
  Camera camera;
  camera.view_angle = options.view_angle;
  const bool has_gravity = Norm(scene_.gravity) > 0;
  camera.up_W = options.up.value_or(has_gravity ? -Normalized(scene_.gravity) : Vec3{0, 0, 1});
  camera.p_WT = options.target.value_or(centre_);
  if (options.eye) {
    camera.p_WE = *options.eye;
    return camera;
  }
  const Vec3 up = Normalized(camera.up_W);
  const Vec3 east = AnyOrthogonal(up);
  const Vec3 north = Cross(up, east);
  const double azimuth = options.azimuth * std::numbers::pi / 180;
  const double elevation = options.elevation * std::numbers::pi / 180;
  const double half = 0.5 * options.view_angle * std::numbers::pi / 180;
  const Vec3 view = std::cos(elevation) * (std::cos(azimuth) * east + std::sin(azimuth) * north) +
                    std::sin(elevation) * up;
  if (options.target) {
    camera.p_WE = camera.p_WT + (2.2 * radius_ / (std::tan(half) * options.zoom)) * view;
    return camera;
  }
  // Centre the picture of all corners and come as near as they allow. What is cut away ends at the
  // cut.
  std::vector<Vec3> shown;
  for (auto [body, p] : corners_) {
    const auto cuts = options.cuts.find(scene_.bodies[body].name);
    if (cuts != options.cuts.end()) {
      for (const CutPlane& cut : cuts->second) {
        p -= std::max(0.0, Dot(cut.normal, p) - cut.offset) * cut.normal;
      }
    }
    shown.push_back(p);
  }
  const Vec3 right = Normalized(Cross(up, view));
  const Vec3 above = Cross(view, right);
  const double tan_y = std::tan(half) * kFilled;
  const double tan_x = tan_y * options.width / options.height;
  double distance = 2 * radius_ / tan_y;
  for (int pass = 0; pass < 8; ++pass) {
    double low_x = 1e300, high_x = -1e300, low_y = 1e300, high_y = -1e300, needed = 0;
    for (const Vec3& p : shown) {
      const Vec3 d = p - camera.p_WT;
      const double x = Dot(d, right), y = Dot(d, above), z = Dot(d, view);
      const double depth = std::max(distance - z, 1e-3 * radius_);
      low_x = std::min(low_x, x / depth);
      high_x = std::max(high_x, x / depth);
      low_y = std::min(low_y, y / depth);
      high_y = std::max(high_y, y / depth);
      needed = std::max({needed, std::fabs(x) / tan_x + z, std::fabs(y) / tan_y + z});
    }
    camera.p_WT += (0.5 * distance) * ((low_x + high_x) * right + (low_y + high_y) * above);
    distance = needed;
  }
  camera.p_WE = camera.p_WT + (distance / options.zoom) * view;
  return camera;
}

void Film::AddContacts(int sample, const FilmOptions& options, RenderScene* frame) const {
  const auto is_cut_away = [&](int body, const Vec3& p) {
    const auto cuts = options.cuts.find(scene_.bodies[body].name);
    return cuts != options.cuts.end() &&
           std::any_of(cuts->second.begin(), cuts->second.end(),
                       [&](const CutPlane& cut) { return Dot(cut.normal, p) > cut.offset; });
  };
  for (int k = first_contact_[sample]; k < first_contact_[sample + 1]; ++k) {
    const FilmContact& contact = contacts_[k];
    const double magnitude = Norm(contact.force);
    if (!(contact.volume > 0)) continue;
    if (is_cut_away(contact.body_i, contact.p_WC) || is_cut_away(contact.body_j, contact.p_WC)) {
      continue;
    }
    if (options.patches) {
      frame->patches.push_back(MarkOfPatch(contact.p_WC, contact.n, contact.volume, contact.J_W,
                                           0.012 * radius_, Norm(contact.S_W)));
    }
    if (options.forces && magnitude > 0) {
      // The force on the body that moves, pushing against it.
      const double sign = bodies_[contact.body_i].is_fixed ? -1 : 1;
      ForceArrow arrow;
      arrow.p_WP = contact.p_WC;
      arrow.vector = (sign * 0.075 * radius_ * std::log10(1 + magnitude / kForceUnit) / magnitude) *
                     contact.force;
      arrow.radius = 0.007 * radius_;
      frame->arrows.push_back(arrow);
    }
  }
}

RenderScene Film::Frame(int sample, const FilmOptions& options) const {
  const auto index_of = [&](const std::string& name) {
    if (const std::size_t b = IndexOf(name); b < bodies_.size()) return b;
    std::string known;
    for (const BodySettings& body : scene_.bodies) known += (known.empty() ? "" : ", ") + body.name;
    throw InputError("command line: body: not in the scene (" + name + "). Known: " + known + ".");
  };
  RenderScene frame;
  frame.camera = PlaceCamera(options);
  frame.options.width = options.width;
  frame.options.height = options.height;
  frame.options.occlusion_reach = 0.2 * radius_;
  frame.options.hatch_spacing = 0.03 * radius_;
  // The light comes over the left shoulder.
  const Vec3 up = Normalized(frame.camera.up_W);
  const Vec3 back = Normalized(frame.camera.p_WE - frame.camera.p_WT);
  const Vec3 left = Normalized(Cross(back, up));
  frame.options.to_light = up + 0.35 * back + 0.55 * left;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    RenderBody body;
    body.cells = bodies_[b].cells;
    body.X_WB = bodies_[b].poses[sample];
    body.color = bodies_[b].color;
    if (IsBall(bodies_[b])) body.pattern = Pattern::kOctants;
    if (!bodies_[b].is_bounded) {
      body.pattern = Pattern::kGrid;
      body.pattern_size = std::pow(10.0, std::floor(std::log10(radius_)));
      frame.options.fade_far = 3 * Norm(frame.camera.p_WE - frame.camera.p_WT);
    }
    frame.bodies.push_back(std::move(body));
  }
  for (const auto& [name, cuts] : options.cuts) frame.bodies[index_of(name)].cuts = cuts;
  for (const auto& [name, opacity] : options.opacity) {
    RenderBody& body = frame.bodies[index_of(name)];
    body.opacity = opacity;
    body.layer = opacity < 1 ? Layer::kTranslucent : Layer::kOpaque;
  }
  for (const FilmMark& mark : marks_) {
    RenderBody body = frame.bodies[mark.body];
    body.cells = mark.cells;
    body.pattern = Pattern::kPlain;
    body.color = {kDarker * body.color.r, kDarker * body.color.g, kDarker * body.color.b};
    frame.bodies.push_back(std::move(body));
  }
  AddContacts(sample, options, &frame);
  return frame;
}

}  // namespace intervox::host
