/** @file Pictures of a results file: the scene's bodies posed as they were at a sample, with the
 contacts of that sample. */
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/render/render.h"
#include "host/world/world.h"

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

/** The samples of one results file as scenes to render. Arrows have a length that grows with the
 logarithm of the force. */
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
  const Scene& GetScene() const { return world_->scene; }
  /** What to render of a sample; it points into this film. @throws InputError when the options name
   a body that is not in the scene. */
  RenderScene Frame(int sample, const FilmOptions& options) const;

 private:
  struct Body {
    std::span<const geometry::Cell> cells;
    std::vector<Pose> poses;  // by sample
    bool is_fixed = false;
    bool is_bounded = true;
    bool is_ball = false;
  };
  struct Contact {
    int body_i = 0;
    int body_j = 0;
    double volume = 0.0;
    Vec3 p_WC;
    Vec3 n;
    Vec3 force;
    Mat3 J_W = Mat3::Zero();
  };

  void FindExtent();
  void AddContacts(int sample, const FilmOptions& options, RenderScene* frame) const;
  Camera PlaceCamera(const FilmOptions& options) const;

  std::unique_ptr<const World> world_;
  std::vector<double> times_;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<int> first_contact_;  // of each sample, one more at the end
  // Corners of the bounds of all that is bounded, over all samples, with their bodies; world.
  std::vector<std::pair<int, Vec3>> corners_;
  Vec3 centre_;  // of these
  double radius_ = 1.0;
};

}  // namespace intervox::host
