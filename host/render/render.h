/** @file Pictures of posed cells, cast from their exact surfaces: no facets.

 A RenderScene is plain data in world coordinates. Render is a pure function of it: the same bytes
 for any number of threads. */
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/cell.h"
#include "host/render/image.h"

namespace intervox::host {

/** A linear-light colour; 1 is white. */
struct Color {
  double r = 0.0;
  double g = 0.0;
  double b = 0.0;
};

/** A pinhole camera. */
struct Camera {
  Vec3 p_WE{0, -5, 2};       ///< eye [m]
  Vec3 p_WT;                 ///< the point it looks at [m]; not the eye
  Vec3 up_W{0, 0, 1};        ///< need not be a unit vector; not along the view
  double view_angle = 30.0;  ///< vertical [deg], in (0, 170)
};

/** The half-space n·x ≤ offset that is kept of a body; the rest is cut away. */
struct CutPlane {
  Vec3 normal;  ///< world axes, unit
  double offset = 0.0;
};

/** What is drawn on a body's surface, so that turning shows. */
enum class Pattern : std::uint8_t {
  kPlain,
  kOctants,  ///< the octants of the body frame in two tones
  kGrid,     ///< lines of the body frame, `pattern_size` apart
};

/** How a body is drawn against the others. */
enum class Layer : std::uint8_t {
  kOpaque,
  kTranslucent,  ///< blended by `opacity`; casts no shadow
  kMark,         ///< arrows and patches: unshaded by others, seen through what hides them
};

/** A body of a picture. */
struct RenderBody {
  std::span<const geometry::Cell> cells;  ///< in the body frame; must outlive the call
  Pose X_WB;
  Color color{0.6, 0.6, 0.6};
  Layer layer = Layer::kOpaque;
  double opacity = 1.0;        ///< of a translucent body, in [0, 1]
  std::vector<CutPlane> cuts;  ///< the body is shown cut open by each
  Pattern pattern = Pattern::kPlain;
  double pattern_size = 0.1;  ///< [m]
};

/** A force to be drawn as an arrow that starts at its point. */
struct ForceArrow {
  Vec3 p_WP;              ///< where the force acts [m]
  Vec3 vector;            ///< direction and drawn length [m]
  double radius = 0.004;  ///< of the shaft [m]
  Color color{0.70, 0.01, 0.05};
};

/** A contact patch to be drawn as a flat ellipse, or ring, of its true extent. */
struct PatchMark {
  Vec3 p_WC;               ///< centroid [m]
  Vec3 n;                  ///< contact normal, unit
  Vec3 axis;               ///< first semi-axis, world axes, orthogonal to n [m]
  double second = 0.0;     ///< second semi-axis, along n × axis [m]
  double hole = 0.0;       ///< semi-axes of its hole over its own
  double thickness = 0.0;  ///< [m]
  Color color{0.02, 0.55, 0.66};
};

/** The ellipse of a patch: an ellipse of uniform thickness with the patch's second moments about
 its centroid in the plane normal to n. Semi-axes are at least `smallest` [m]. Where the patch has
 less than three quarters of that ellipse's area, a ring of its area and moments.
 @param V     volume of interference, > 0 [m³]
 @param J_W   its inertia about the centroid [m⁵]
 @param area  of the patch across n [m²]; infinite: no ring */
PatchMark MarkOfPatch(const Vec3& p_WC, const Vec3& n, double V, const Mat3& J_W, double smallest,
                      double area);

/** Lights and quality. */
struct RenderOptions {
  int width = 960;
  int height = 640;
  Vec3 to_light{-0.4, -0.7, 0.9};  ///< towards the directional light, world axes
  double occlusion_reach = 0.15;   ///< how far ambient occlusion looks [m]
  bool shadows = true;
  bool lines = true;           ///< silhouettes and creases
  double hatch_spacing = 0.0;  ///< between the lines across cut faces [m]; 0: no lines
  /** Distance at which surfaces have faded into the background [m]; 0: never. */
  double fade_far = 0.0;
  Color background_top{0.80, 0.84, 0.90};
  Color background_bottom{0.97, 0.97, 0.96};
};

/** All that a picture shows. */
struct RenderScene {
  Camera camera;
  std::vector<RenderBody> bodies;
  std::vector<ForceArrow> arrows;
  std::vector<PatchMark> patches;
  RenderOptions options;
};

/** Renders a picture on all cores. @throws std::invalid_argument for a size that is not positive or
 a camera without a direction. */
Image Render(const RenderScene& scene);

}  // namespace intervox::host
