/** @file Pictures of a results file: the scene's bodies posed as they were at a sample, with the
 contacts of that sample. */
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/render/render.h"
#include "host/world/solids.h"

namespace intervox::host {

/** How a film's frames look. */
struct FilmOptions {
  int width = 960;
  int height = 640;
  std::optional<Vec3> eye;     ///< world [m]; absent: chosen to show all bodies
  std::optional<Vec3> target;  ///< world [m]
  std::optional<Vec3> up;      ///< absent: against gravity, or z without gravity
  double azimuth = 35.0;       ///< of the chosen eye, about up [deg]
  double elevation = 32.0;     ///< of the chosen eye above the horizon [deg]
  double view_angle = 26.0;    ///< vertical [deg]
  double zoom = 1.0;           ///< > 1 comes nearer
  bool forces = true;          ///< contact forces as arrows
  bool patches = true;         ///< contact patches as ellipses
  std::map<std::string, std::vector<CutPlane>> cuts;  ///< by body
  std::map<std::string, double> opacity;              ///< by body; below 1: translucent
};

/** The colour of a body: that of all fixed ones, or of the k-th other one. */
Color BodyColor(bool is_fixed, std::size_t k);

/** A body of a film. */
struct FilmBody {
  std::string name;
  std::span<const geometry::Cell> cells;
  std::vector<Pose> poses;  ///< X_WB by sample
  Color color;
  bool is_fixed = false;
  bool is_bounded = true;
};

/** What a film adds to a body, in its frame: joints, and a ball where it is too small to be seen.
 */
struct FilmMark {
  std::size_t body = 0;
  std::vector<geometry::Cell> cells;
};

/** A contact patch at a sample. */
struct FilmContact {
  int body_i = 0;
  int body_j = 0;
  double volume = 0.0;  ///< [m³]
  Vec3 p_WC;            ///< centroid [m]
  Vec3 n;               ///< unit normal
  Vec3 force;           ///< on body i [N]
  Vec3 S_W;             ///< area vector [m²]
  Mat3 J_W = Mat3::Zero();
};

/** The samples of one results file as scenes to render. Arrows have a length that grows with the
 logarithm of the force. Contact laws need not be known: pictures take no forces from them. */
class Film {
 public:
  /** Reads a file of `intervox run`. @throws InputError when it is missing, corrupt, without
   samples, or of another schema. */
  explicit Film(const std::filesystem::path& results);

  /** Number of samples. */
  int Samples() const { return static_cast<int>(times_.size()); }
  /** Time of a sample [s]. */
  double Time(int sample) const { return times_[sample]; }
  /** The sample nearest to a time. */
  int SampleAt(double time) const;
  /** Number of contact patches at a sample. */
  int Contacts(int sample) const;
  /** The scene that was simulated. */
  const Scene& GetScene() const { return scene_; }
  /** The bodies in the scene's order; they live as long as this film. */
  std::span<const FilmBody> Bodies() const { return bodies_; }
  /** The contact patches at a sample. */
  std::span<const FilmContact> ContactsAt(int sample) const;
  /** The middle of what the automatic camera shows, world [m]. */
  const Vec3& Center() const { return centre_; }
  /** The radius around the middle of what the automatic camera shows [m]. */
  double Radius() const { return radius_; }
  /** Bodies that fly out of what the automatic camera shows. */
  const std::vector<std::string>& FlownAway() const { return flown_away_; }
  /** What to render of a sample; it points into this film. @throws InputError when the options name
   a body that is not in the scene. */
  RenderScene Frame(int sample, const FilmOptions& options) const;

 private:
  std::size_t IndexOf(const std::string& body) const;
  Vec3 PointOf(const JointSettings& joint) const;
  void FindExtent();
  void MarkJoints();
  void MarkSmallBodies();
  void AddContacts(int sample, const FilmOptions& options, RenderScene* frame) const;
  Camera PlaceCamera(const FilmOptions& options) const;

  Scene scene_;
  Solids solids_;
  std::vector<double> times_;
  std::vector<FilmBody> bodies_;
  std::vector<FilmMark> marks_;
  std::vector<FilmContact> contacts_;
  std::vector<int> first_contact_;  // of each sample, one more at the end
  // Corners of the bounds of all that is bounded and near, over all samples, with their bodies;
  // world.
  std::vector<std::pair<int, Vec3>> corners_;
  Vec3 centre_;  // of these
  double radius_ = 1.0;
  std::vector<std::string> flown_away_;
};

}  // namespace intervox::host
