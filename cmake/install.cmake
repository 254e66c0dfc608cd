# Installs the executable, the libraries, the headers and a package, so that
# `find_package(intervox)` gives intervox::host, intervox::render and what they stand on.
include(CMakePackageConfigHelpers)

foreach(part flags geometry cuda integrators host render batch)
  set_target_properties(intervox_${part} PROPERTIES EXPORT_NAME ${part})
  install(TARGETS intervox_${part} EXPORT intervox_targets ARCHIVE DESTINATION lib)
endforeach()
if(TARGET intervox)
  install(TARGETS intervox RUNTIME DESTINATION bin)
endif()
foreach(folder geometry cuda integrators host)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    DESTINATION include/intervox
    FILES_MATCHING
    PATTERN "*.h"
    PATTERN "cli" EXCLUDE
    PATTERN "openvdb" EXCLUDE
    PATTERN "assimp" EXCLUDE)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/intervox.h DESTINATION include/intervox)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/scenes ${PROJECT_SOURCE_DIR}/data/schema
        DESTINATION share/intervox)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python DESTINATION share/intervox
        FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/intervox)
install(EXPORT intervox_targets NAMESPACE intervox:: DESTINATION lib/cmake/intervox)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/intervox-config.cmake.in
  ${PROJECT_BINARY_DIR}/intervox-config.cmake INSTALL_DESTINATION lib/cmake/intervox)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/intervox-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/intervox-config.cmake
              ${PROJECT_BINARY_DIR}/intervox-config-version.cmake
        DESTINATION lib/cmake/intervox)

# Completion of the command line, as the built program writes it.
if(TARGET intervox)
  foreach(shell bash zsh)
    install(
      CODE "execute_process(COMMAND \"$<TARGET_FILE:intervox>\" completion ${shell}
                            OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.${shell}\"
                            COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/completion.bash
          DESTINATION share/bash-completion/completions RENAME intervox)
  install(FILES ${PROJECT_BINARY_DIR}/completion.zsh
          DESTINATION share/zsh/site-functions RENAME _intervox)
endif()
