// `intervox render`: stills of a results file, with a list of them for the tools that make films.
#include "host/cli/render_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/frames.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/render/film.h"

namespace intervox::cli {
namespace {

using host::Film;
using host::FilmOptions;
using host::InputError;

struct RenderArguments {
  std::string results;
  std::string out = "frames";
  std::string frames = "every=0.2";
  std::string size = "960x640";
  std::vector<std::string> camera;
  std::vector<std::string> cuts;
  std::vector<std::string> translucent;
  bool no_forces = false;
  bool no_patches = false;
};

Vec3 Vector(const std::string& option, const std::string& text) {
  const std::vector<double> v = NumbersOf(option, text);
  if (v.size() != 3) RefuseOption(option, "not three numbers", text, "Write x,y,z.");
  return {v[0], v[1], v[2]};
}

FilmOptions ReadLook(const RenderArguments& options) {
  FilmOptions film;
  const auto [width, height] = SplitOption("--size", options.size, 'x', "WIDTHxHEIGHT");
  film.width = static_cast<int>(NumberOf("--size", width));
  film.height = static_cast<int>(NumberOf("--size", height));
  if (film.width < 1 || film.height < 1 || film.width > 16384 || film.height > 16384) {
    RefuseOption("--size", "out of range", options.size, "Give 1 to 16384 pixels each way.");
  }
  film.forces = !options.no_forces;
  film.patches = !options.no_patches;
  for (const std::string& text : options.camera) {
    const auto [key, value] = SplitOption("--camera", text, '=', "KEY=VALUE");
    if (key == "eye") {
      film.eye = Vector("--camera", value);
    } else if (key == "target") {
      film.target = Vector("--camera", value);
    } else if (key == "up") {
      film.up = Vector("--camera", value);
    } else if (key == "azimuth") {
      film.azimuth = NumberOf("--camera", value);
    } else if (key == "elevation") {
      film.elevation = NumberOf("--camera", value);
    } else if (key == "angle") {
      film.view_angle = NumberOf("--camera", value);
    } else if (key == "zoom") {
      film.zoom = NumberOf("--camera", value);
    } else {
      RefuseOption("--camera", "unknown key", key,
                   "Known: eye, target, up, azimuth, elevation, angle, zoom.");
    }
  }
  if (!(film.view_angle > 1 && film.view_angle < 150)) {
    RefuseOption("--camera", "angle out of range", fmt::format("{}", film.view_angle),
                 "Give 1 to 150 degrees.");
  }
  if (!(film.zoom > 0)) {
    RefuseOption("--camera", "zoom out of range", fmt::format("{}", film.zoom),
                 "Give a positive number.");
  }
  for (const std::string& text : options.cuts) {
    const auto [body, plane] = SplitOption("--cut", text, ':', "BODY:NX,NY,NZ,OFFSET");
    const std::vector<double> v = NumbersOf("--cut", plane);
    const Vec3 n = v.size() == 4 ? Vec3{v[0], v[1], v[2]} : Vec3{};
    if (!(Norm(n) > 0)) {
      RefuseOption("--cut", "not a plane", text,
                   "Write BODY:NX,NY,NZ,OFFSET with a normal other than 0.");
    }
    film.cuts[body].push_back({Normalized(n), v[3] / Norm(n)});
  }
  for (const std::string& text : options.translucent) {
    const auto [body, value] = SplitOption("--translucent", text, '=', "BODY=OPACITY");
    const double opacity = NumberOf("--translucent", value);
    if (!(opacity >= 0 && opacity <= 1)) {
      RefuseOption("--translucent", "out of range", value, "Give an opacity from 0 to 1.");
    }
    film.opacity[body] = opacity;
  }
  return film;
}

int RunRender(const RenderArguments& options) {
  const FilmOptions look = ReadLook(options);
  RequireKind(options.results, "render", {FileKind::kResults});
  const Film film(options.results);
  const std::set<int> samples = ChooseSamples(film, options.frames);
  if (!film.FlownAway().empty() && !look.eye && !look.target) {
    std::cerr << fmt::format(
        "intervox: the camera stays where the others are; it leaves alone what "
        "flies away: {}. --camera target=x,y,z follows it.\n",
        fmt::join(film.FlownAway(), ", "));
  }
  const std::filesystem::path folder = options.out;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw InputError(folder.string() + ": cannot make the folder (" + failed.message() +
                     "). Choose another one with -o.");
  }
  nlohmann::ordered_json list;
  list["scene"] = film.GetScene().name;
  list["results"] = std::filesystem::absolute(options.results).string();
  list["frames"] = nlohmann::ordered_json::array();
  for (const int sample : samples) {
    const std::string name = fmt::format("frame_{:06d}.png", sample);
    host::WritePng(host::Render(film.Frame(sample, look)), folder / name);
    list["frames"].push_back({{"file", name},
                              {"sample", sample},
                              {"time", film.Time(sample)},
                              {"contacts", film.Contacts(sample)}});
  }
  std::ofstream file(folder / "frames.json");
  file << list.dump(1) << '\n';
  if (!file.flush()) host::FailToWrite(folder / "frames.json");
  std::cout << samples.size() << " pictures in " << folder.string() << '\n';
  return kDone;
}

}  // namespace

void AddRender(CLI::App& app, int& status) {
  const auto options = std::make_shared<RenderArguments>();
  CLI::App* command = app.add_subcommand("render", "Draw pictures of a results file");
  command->add_option("results", options->results, "Results file of `intervox run`")->required();
  command->add_option("-o,--out", options->out, "Folder for the pictures; default frames");
  command->add_option("--frames", options->frames,
                      "every=SECONDS, at=T,T,…, all or last; default every=0.2");
  command->add_option("--size", options->size, "WIDTHxHEIGHT; default 960x640");
  command
      ->add_option("--camera", options->camera,
                   "KEY=VALUE: eye, target, up (x,y,z), azimuth, elevation, angle [deg], zoom")
      ->allow_extra_args(false);
  command
      ->add_option("--cut", options->cuts,
                   "BODY:NX,NY,NZ,OFFSET: keep n.x <= offset of a body, world axes")
      ->allow_extra_args(false);
  command->add_option("--translucent", options->translucent, "BODY=OPACITY, 0 to 1")
      ->allow_extra_args(false);
  command->add_flag("--no-forces", options->no_forces, "Without force arrows");
  command->add_flag("--no-patches", options->no_patches, "Without contact patches");
  command->callback([options, &status] { status = RunRender(*options); });
}

}  // namespace intervox::cli
