// `intervox render`: stills of a results file, with a list of them for the tools that make films.
#include "host/cli/render_command.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "host/cli/cli.h"
#include "host/input/error.h"
#include "host/render/film.h"

namespace intervox::cli {
namespace {

using host::Film;
using host::FilmOptions;
using host::InputError;

struct Options {
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

[[noreturn]] void Refuse(const std::string& option, const std::string& what,
                         const std::string& value, const std::string& remedy) {
  throw InputError("command line: " + option + ": " + what + " (" + value + "). " + remedy);
}

double Number(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) {
    Refuse(option, "not a number", text, "Write a finite number such as 0.2.");
  }
  return value;
}

std::vector<double> Numbers(const std::string& option, const std::string& text) {
  std::vector<double> values;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(Number(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

Vec3 Vector(const std::string& option, const std::string& text) {
  const std::vector<double> v = Numbers(option, text);
  if (v.size() != 3) Refuse(option, "not three numbers", text, "Write x,y,z.");
  return {v[0], v[1], v[2]};
}

/** Splits KEY=VALUE or BODY:VALUE. */
std::pair<std::string, std::string> Split(const std::string& option, const std::string& text,
                                          char at, const std::string& form) {
  const std::size_t place = text.find(at);
  if (place == std::string::npos || place == 0) {
    Refuse(option, "not of the form " + form, text, "For help: intervox render --help.");
  }
  return {text.substr(0, place), text.substr(place + 1)};
}

FilmOptions ReadLook(const Options& options) {
  FilmOptions film;
  const auto [width, height] = Split("--size", options.size, 'x', "WIDTHxHEIGHT");
  film.width = static_cast<int>(Number("--size", width));
  film.height = static_cast<int>(Number("--size", height));
  if (film.width < 1 || film.height < 1 || film.width > 16384 || film.height > 16384) {
    Refuse("--size", "out of range", options.size, "Give 1 to 16384 pixels each way.");
  }
  film.forces = !options.no_forces;
  film.patches = !options.no_patches;
  for (const std::string& text : options.camera) {
    const auto [key, value] = Split("--camera", text, '=', "KEY=VALUE");
    if (key == "eye") {
      film.eye = Vector("--camera", value);
    } else if (key == "target") {
      film.target = Vector("--camera", value);
    } else if (key == "up") {
      film.up = Vector("--camera", value);
    } else if (key == "azimuth") {
      film.azimuth = Number("--camera", value);
    } else if (key == "elevation") {
      film.elevation = Number("--camera", value);
    } else if (key == "angle") {
      film.view_angle = Number("--camera", value);
    } else if (key == "zoom") {
      film.zoom = Number("--camera", value);
    } else {
      Refuse("--camera", "unknown key", key,
             "Known: eye, target, up, azimuth, elevation, angle, zoom.");
    }
  }
  if (!(film.view_angle > 1 && film.view_angle < 150)) {
    Refuse("--camera", "angle out of range", fmt::format("{}", film.view_angle),
           "Give 1 to 150 degrees.");
  }
  if (!(film.zoom > 0)) {
    Refuse("--camera", "zoom out of range", fmt::format("{}", film.zoom),
           "Give a positive number.");
  }
  for (const std::string& text : options.cuts) {
    const auto [body, plane] = Split("--cut", text, ':', "BODY:NX,NY,NZ,OFFSET");
    const std::vector<double> v = Numbers("--cut", plane);
    const Vec3 n = v.size() == 4 ? Vec3{v[0], v[1], v[2]} : Vec3{};
    if (!(Norm(n) > 0)) {
      Refuse("--cut", "not a plane", text,
             "Write BODY:NX,NY,NZ,OFFSET with a normal other than 0.");
    }
    film.cuts[body].push_back({Normalized(n), v[3] / Norm(n)});
  }
  for (const std::string& text : options.translucent) {
    const auto [body, value] = Split("--translucent", text, '=', "BODY=OPACITY");
    const double opacity = Number("--translucent", value);
    if (!(opacity >= 0 && opacity <= 1)) {
      Refuse("--translucent", "out of range", value, "Give an opacity from 0 to 1.");
    }
    film.opacity[body] = opacity;
  }
  return film;
}

/** The samples to draw, ascending and each once. */
std::set<int> ChooseSamples(const Film& film, const std::string& frames) {
  std::set<int> samples;
  if (frames == "all") {
    for (int k = 0; k < film.Samples(); ++k) samples.insert(k);
    return samples;
  }
  if (frames == "last") return {film.Samples() - 1};
  const auto [key, value] = Split("--frames", frames, '=', "every=SECONDS, at=T,T,…, all or last");
  const double end = film.Time(film.Samples() - 1);
  if (key == "every") {
    const double step = Number("--frames", value);
    if (!(step > 0) || end / step > 1e5) {
      Refuse("--frames", "step out of range", value, "Give a positive time in seconds.");
    }
    for (int k = 0; k * step <= end + 1e-9 * step; ++k) samples.insert(film.SampleAt(k * step));
  } else if (key == "at") {
    for (const double t : Numbers("--frames", value)) samples.insert(film.SampleAt(t));
  } else {
    Refuse("--frames", "unknown word", key, "Known: every=SECONDS, at=T,T,…, all, last.");
  }
  return samples;
}

int Run(const Options& options) {
  const FilmOptions look = ReadLook(options);
  const Film film(options.results);
  const std::set<int> samples = ChooseSamples(film, options.frames);
  if (!film.FlownAway().empty() && !look.eye && !look.target) {
    std::cerr << fmt::format("intervox: the camera stays where the others are; it leaves alone what "
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
  if (!file.flush()) {
    throw std::runtime_error((folder / "frames.json").string() + ": cannot be written");
  }
  std::cout << samples.size() << " pictures in " << folder.string() << '\n';
  return kDone;
}

}  // namespace

void AddRender(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("render", "Draw pictures of a results file");
  command->add_option("results", options->results, "Results file of `intervox run`")->required();
  command->add_option("-o,--out", options->out, "Folder for the pictures; default frames");
  command->add_option("--frames", options->frames,
                      "every=SECONDS, at=T,T,…, all or last; default every=0.2");
  command->add_option("--size", options->size, "WIDTHxHEIGHT; default 960x640");
  command->add_option("--camera", options->camera,
                      "KEY=VALUE: eye, target, up (x,y,z), azimuth, elevation, angle [deg], zoom");
  command->add_option("--cut", options->cuts,
                      "BODY:NX,NY,NZ,OFFSET: keep n.x <= offset of a body, world axes");
  command->add_option("--translucent", options->translucent, "BODY=OPACITY, 0 to 1");
  command->add_flag("--no-forces", options->no_forces, "Without force arrows");
  command->add_flag("--no-patches", options->no_patches, "Without contact patches");
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace intervox::cli
