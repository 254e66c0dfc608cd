/** @file The commands of the executable `intervox`. Each adds its subcommand; the exit status is 0
 done, 1 the simulation or a check failed, 2 bad usage or bad input. */
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cuda/engine.h"

namespace intervox::cli {

/** Exit statuses, fixed for scripts. */
enum ExitStatus { kDone = 0, kFailed = 1, kBadInput = 2 };

/** `metrics`: overlaps of posed pairs, and mass properties of shapes. */
void AddMetrics(CLI::App& app, int& status);
/** `distance`: how far posed pairs are apart. */
void AddDistance(CLI::App& app, int& status);
/** `overlaps`: whether posed pairs meet. */
void AddOverlaps(CLI::App& app, int& status);
/** `run`: simulates a scene. */
void AddRun(CLI::App& app, int& status);
/** `validate`: whether a scene could be run. */
void AddValidate(CLI::App& app, int& status);
/** `fit`: parameters of contact laws from measurements. */
void AddFit(CLI::App& app, int& status);
/** `settle`: where the bodies of a scene come to rest. */
void AddSettle(CLI::App& app, int& status);
/** `insertion-force`: the force over the depth of a body that is pushed along a line. */
void AddInsertionForce(CLI::App& app, int& status);
/** `info`: what a results, scene or pairs file holds. */
void AddInfo(CLI::App& app, int& status);
/** `export`: results as CSV. */
void AddExport(CLI::App& app, int& status);
/** `study`: accuracy and time against the voxel size and the threads. */
void AddStudy(CLI::App& app, int& status);

/** Lets files of shapes name .vdb files and meshes that are not convex, where the program has
 OpenVDB, and .3mf and .glb files, where it has assimp. */
void UseFileReaders();

/** Options for a device word, auto | cpu | cuda[:k]. @throws host::InputError for another word. */
EngineOptions ParseDevice(const std::string& device, int threads);

/** An engine. @throws host::InputError when the device is absent. */
Engine MakeEngine(const EngineOptions& options);

}  // namespace intervox::cli
