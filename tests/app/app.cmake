# The command-line tool: the built binary from outside, and its scene reader from inside. Paths are from tests/.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)

# Looks at what was written from outside.
add_executable(taut_check_surface support/check_surface.cc)
target_compile_features(taut_check_surface PRIVATE cxx_std_17)
set_target_properties(taut_check_surface PROPERTIES OUTPUT_NAME check_surface)

add_executable(taut_app_tests
  app/bad_bodies.cc
  app/bad_contact.cc
  app/bad_joints.cc
  app/bad_mappings.cc
  app/folder.cc
  app/process.cc
  app/read_stats.cc
  app/test_animation.cc
  app/test_arguments.cc
  app/test_assemble.cc
  app/test_backends.cc
  app/test_bad_meshes.cc
  app/test_bad_scenes.cc
  app/test_bodies.cc
  app/test_cloth.cc
  app/test_build.cc
  app/test_check.cc
  app/test_clamps.cc
  app/test_hair.cc
  app/test_checkpoint.cc
  app/test_commands.cc
  app/test_contact.cc
  app/test_closing.cc
  app/test_draping.cc
  app/test_fabrics.cc app/test_following.cc
  app/test_hard.cc app/test_hung_together.cc
  app/test_interrupt.cc
  app/test_ledger.cc
  app/test_limits.cc
  app/test_mappings.cc
  app/test_midpoint.cc
  app/test_motion.cc
  app/test_turning_pins.cc
  app/test_mutations.cc
  app/test_carried_contact.cc
  app/test_open_colliders.cc
  app/test_output_files.cc
  app/test_outputs.cc
  app/test_runs.cc
  app/test_solids.cc
  app/test_summary.cc
  app/test_surfaces.cc
  app/test_topology.cc)
target_include_directories(taut_app_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/app)
target_compile_features(taut_app_tests PRIVATE cxx_std_17)
target_compile_options(taut_app_tests PRIVATE -O1) # soon compiled; what it calls is optimised as ever
target_compile_definitions(taut_app_tests PRIVATE TAUT_PROGRAM="$<TARGET_FILE:taut_tool>"
                                                  TAUT_CHECK_SURFACE="$<TARGET_FILE:taut_check_surface>"
                                                  TAUT_EXAMPLE_SCENES="${PROJECT_SOURCE_DIR}/examples/scenes"
                                                  TAUT_FORMAT_PAGE="${PROJECT_SOURCE_DIR}/docs/scene-format.md")
if(TAUT_SANITIZE)
  target_compile_definitions(taut_app_tests PRIVATE TAUT_SANITIZED)
endif()
target_link_libraries(taut_app_tests PRIVATE taut_app taut_options PkgConfig::CJSON GTest::gtest GTest::gtest_main)
add_dependencies(taut_app_tests taut_tool taut_check_surface)
list(JOIN TAUT_SLOW_APP_TESTS ":" slow)
taut_discover(taut_app_tests "-Backends.*:*BadSceneTable*:${slow}" app PROPERTIES TIMEOUT 300)
taut_discover(taut_app_tests "${slow}" "app;slow" PROPERTIES TIMEOUT 300)
# Hundreds of refusals, each a run of the tool: four processes in place of one for each.
foreach(part RANGE 3)
  add_test(NAME app.bad_scenes_${part} COMMAND taut_app_tests --gtest_filter=*BadSceneTable*)
  set_tests_properties(app.bad_scenes_${part} PROPERTIES
    LABELS app TIMEOUT 300 ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
endforeach()
taut_discover(taut_app_tests "Backends.*" "app;backends" PROPERTIES TIMEOUT 300)

# Short falls of real garments; benchmarks/garments/table.py has the whole table. Exit status 77: the data is not here.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  foreach(pair skirt-sphere flag-torus)
    string(REPLACE "-" ";" names ${pair})
    list(GET names 0 garment)
    list(GET names 1 collider)
    add_test(NAME garments.${pair}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/benchmarks/garments/table.py --taut $<TARGET_FILE:taut_tool>
        --check $<TARGET_FILE:taut_check_surface> --data ${PROJECT_SOURCE_DIR}/../shared/data
        --out ${CMAKE_CURRENT_BINARY_DIR}/garments --garments ${garment} --colliders ${collider} --frames 36 --every 12)
    set_tests_properties(garments.${pair} PROPERTIES
      LABELS "app;slow" SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()

# Characters that are made by the generator: the arm bends in its sleeve for some frames, and the walker puts its shirt on.
if(Python3_FOUND)
  foreach(run arm-6 walker-3)
    string(REPLACE "-" ";" words ${run})
    list(GET words 0 character)
    list(GET words 1 frames)
    add_test(NAME characters.${character}
      COMMAND ${CMAKE_COMMAND} -E env sh -eu -c "\"$1\" \"$2\" ${character} \"$3\" --frames 12 && \"$4\" run \"$3/${character}.json\" --frames ${frames} --strict --out \"$3/frames\"" ${character}
        ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/examples/characters/character.py ${CMAKE_CURRENT_BINARY_DIR}/characters/${character}
        $<TARGET_FILE:taut_tool>)
    set_tests_properties(characters.${character} PROPERTIES LABELS "app;slow" TIMEOUT 300)
  endforeach()
endif()

# The add-on for Blender, where Blender is installed.
find_program(TAUT_BLENDER blender)
mark_as_advanced(TAUT_BLENDER)
if(TAUT_BLENDER)
  add_test(NAME app.blender COMMAND ${TAUT_BLENDER} -b -noaudio --python ${CMAKE_CURRENT_SOURCE_DIR}/app/blender_addon.py --
    $<TARGET_FILE:taut_tool> ${CMAKE_CURRENT_BINARY_DIR}/blender)
  set_tests_properties(app.blender PROPERTIES LABELS "app;slow" TIMEOUT 600)
endif()
