# The core library against formulas, an independent float64 reference, closed forms, and its own promises.

# Scenes, oracles, exact solutions and the harness, compiled once for all programs; taut_test_scenes without a framework.
add_library(taut_test_scenes OBJECT
  support/dense_matrix.c support/oracle_scene.c support/oracle_terms.cc support/scene_graph.c support/small_scenes.c)
target_include_directories(taut_test_scenes PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/support ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(taut_test_scenes PRIVATE taut_options PUBLIC Eigen3::Eigen m)
add_library(taut_test_support OBJECT
  ../benchmarks/formulations/formulations.c
  support/closed_meshes.c support/compare.c support/contact_scenes.c support/counting.c support/crossing_scenes.c support/dense_solve.cc
  support/force_cases.c support/force_formulas_f32.c support/force_scenes.c support/force_system.c
  support/formula_cases.c support/formula_table.c support/frame_formulas_f32.c support/graph_scenes.c support/intersections.c
  support/harness.cc support/level_scenes.c support/line_scenes.c support/method_pairs.c support/oracle.cc
  support/phys_data.c support/phys_exact.c support/phys_formulations.c support/phys_frames.c support/phys_meshes.c
  support/phys_pendulums.c support/phys_rods.c support/phys_scenes.c support/phys_tets.c support/solid_scenes.c
  support/surface_scenes.c support/task_pool.c support/twins.c)
target_include_directories(taut_test_support PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/benchmarks)
target_link_libraries(taut_test_support PRIVATE taut_options PUBLIC taut_test_scenes GTest::gtest)

# The oracle in float64 is templates of Eigen: sanitizers make it slow to compile, and it is not what they are for.
if(TAUT_SANITIZE)
  set_source_files_properties(support/dense_solve.cc support/oracle.cc support/oracle_terms.cc
    PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all")
endif()

# taut_add_tests(PROGRAM LIBRARY SOURCES...): LIBRARY is taut, or taut_objects for what looks inside.
function(taut_add_tests program library)
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE taut_test_support taut_test_scenes ${library} taut_options)
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

taut_add_tests(taut_unit_tests taut
  unit/test_assembly.c unit/test_condensed.c unit/test_determinism.c unit/test_direct.c unit/test_force_formulas.c
  unit/test_force_solid.c unit/test_forces_step.c unit/test_formulas.c unit/test_formulas_degenerate.c
  unit/test_formulas_projection.c unit/test_formulations_dense.c unit/test_frame_formulas.c unit/test_gauss_seidel.c unit/test_gradient_bodies.c unit/test_gradient_contacts.c unit/test_gradient_surfaces.c unit/test_gradient_touching.c unit/test_gradients.c
  unit/test_graph.c unit/test_graph_chains.c unit/test_graph_stages.c unit/test_graph_step.c unit/test_lines.c
  unit/test_operators.c unit/test_oracle.c unit/test_oracle_self.c unit/test_ordering.c unit/test_residuals.c unit/test_robust.c
  unit/test_small_math.c unit/test_stages.c unit/test_steps.c unit/test_svd3.c unit/test_tasks.c
  unit/test_user_threads.c)
taut_add_tests(taut_inside_tests taut_objects
  contact/test_contact_candidates.c contact/test_contact_convex.c contact/test_contact_factors.c contact/test_contact_zones.c unit/test_block_cholesky.c unit/test_condensed_product.c
  unit/test_aggregates.c unit/test_condensed_residual.c unit/test_guard_decisions.c unit/test_lines_inside.c unit/test_memory.c
  unit/test_measured_state.c unit/test_node_cholesky.c ../benchmarks/convergence/measured_state.c
  unit/test_mesh_distance.c unit/test_multilevel.c unit/test_team.c)
if(TAUT_WITH_DIRECT)
  target_include_directories(taut_inside_tests SYSTEM PRIVATE ${TAUT_LDL_INCLUDE} ${TAUT_AMD_INCLUDE})
  target_sources(taut_inside_tests PRIVATE unit/test_dense_product.c unit/test_supernodes.c)
endif()
taut_add_tests(taut_physics_tests taut
  physics/test_arcs.c physics/test_bodies.c physics/test_bounds.c physics/test_bridges.c physics/test_budgets.c physics/test_chain.c physics/test_closure.c physics/test_cloth.c
  physics/test_coupling.c physics/test_forces.c physics/test_forces_motion.c physics/test_formulations.c
  physics/test_folds.c physics/test_further.c
  physics/test_guard.c physics/test_guard_islands.c physics/test_joint_forces.c physics/test_joints.c physics/test_ledger.c
  physics/test_light_parents.c physics/test_limits.c physics/test_linkages.c physics/test_mapped_masses.c physics/test_mappings.c
  physics/test_misfits.c physics/test_mechanisms.c physics/test_mechanisms_bodies.c physics/test_mechanisms_drift.c
  physics/test_mechanisms_newton.c physics/test_mechanisms_springs.c physics/test_membrane.c physics/test_oscillator.c
  physics/test_pendulum.c physics/test_prestress.c physics/test_real_data.c physics/test_reference.c physics/test_rod_motion.c
  physics/test_stiff_rows.c physics/test_turns.c physics/test_two_stage.c physics/test_unequal_steps.c
  physics/test_rods.c physics/test_rolling.c physics/test_sdirk.c physics/test_soft.c physics/test_solids_beams.c
  physics/test_solids_cylinder.c physics/test_solids_moduli.c physics/test_solids_order.c physics/test_solids_rest.c
  physics/test_solids_squashed.c physics/test_solids_volume.c)
taut_add_tests(taut_contact_tests taut
  contact/test_contact_alone.c contact/test_contact_arch.c contact/test_contact_assembly.c contact/test_contact_bounce.c contact/test_contact_broken.c contact/test_contact_chains.c contact/test_contact_changes.c
  contact/test_contact_budgets.c contact/test_contact_cloth.c contact/test_contact_cone.c contact/test_contact_crossings.c contact/test_contact_cuts.c contact/test_contact_deforming.c contact/test_contact_events.c contact/test_contact_facets.c contact/test_contact_flight.c contact/test_contact_free.c
  contact/test_contact_beside.c contact/test_contact_growth.c contact/test_contact_hand.c contact/test_contact_heap.c contact/test_contact_held.c contact/test_contact_impacts.c contact/test_contact_jammed.c contact/test_contact_joined.c contact/test_contact_law.c contact/test_contact_layers.c contact/test_contact_limbs.c contact/test_contact_material.c contact/test_contact_mesh.c contact/test_contact_meshes.c contact/test_contact_methods.c
  contact/test_contact_moving.c contact/test_contact_near.c contact/test_contact_overlaps.c contact/test_contact_parts.c contact/test_contact_pierced.c contact/test_contact_piles.c contact/test_contact_plates.c
  contact/test_contact_queries.c
  contact/test_contact_curved.c contact/test_contact_passing.c contact/test_contact_refused.c contact/test_contact_rollers.c contact/test_contact_rolling.c contact/test_contact_rope.c
  contact/test_contact_rules.c contact/test_contact_schemes.c contact/test_contact_search.c
  contact/test_contact_sewn.c contact/test_contact_shapes.c contact/test_contact_skin.c contact/test_contact_sliding.c contact/test_contact_stalls.c
  contact/test_contact_sleep.c contact/test_contact_slope.c contact/test_contact_soft.c contact/test_contact_corners.c contact/test_contact_solids.c contact/test_contact_stacks.c contact/test_contact_started.c contact/test_contact_surface.c contact/test_contact_tangles.c contact/test_contact_unloading.c contact/test_contact_wedged.c
  contact/test_contact_surface_rules.c contact/test_contact_surfaces.c
  contact/test_contact_walking.c contact/test_contact_wheels.c
  contact/test_contact_through.c contact/test_contact_thrown.c contact/test_contact_tree.c)
taut_add_tests(taut_api_tests taut
  api/test_added.c api/test_budget.c api/test_interface_empty.c api/test_interface_forces.c api/test_interface_frames.c api/test_interface_scene.c api/test_interface_world.c
  api/test_lifecycle.c api/test_retuning.c api/test_save.c api/test_versions.c)
taut_discover_tests(taut_unit_tests unit)
taut_discover_tests(taut_inside_tests unit)
taut_discover_tests(taut_physics_tests physics)
taut_discover_tests(taut_contact_tests contact)
taut_discover_tests(taut_api_tests api)
