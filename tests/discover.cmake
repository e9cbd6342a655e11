# Labels of tests. Every GoogleTest program is split by patterns of names, so that `ctest -L` and `-LE` choose tiers:
#
#   unit physics contact api app io   the room
#   backends                          app: both backends where both are there
#   cuda                              runs on the CUDA backend; skipped where there is no device and no emulator
#   slow                              mainly a long simulation
#   methods                           the matrix of methods (methods.cmake)
#   orders                            cuda: repeated in the orders of execution that a GPU may choose
#   gpu                               cuda: too long for an emulator, runs on a device alone

# Mainly long simulations: more than two seconds each on the CPU.
set(TAUT_SLOW_TESTS real_data.* formulations.* determinism.* solids.* bodies.a_hundred_thousand_steps
  cloth.hard_sheared_cloth_keeps_its_edges contact_cuts.falling_cloth multilevel.iterations_hardly_grow forces.damped_mode
  forces.soft_beam contact_surface_rules.same_bits rolling.eccentric_wheel mechanisms.springs_in_every_regime
  contact_cloth.soft_with_friction contact_cloth.soft_without_friction coupling.body_on_a_cloth oracle_gauss_seidel.rope
  contact_arch.* contact_walking.nothing* save.cloth* save.each* added.same_bits* slow_budgets.* budgets.sheet_8* budgets.draped*
  contact_crossings.random_scenes* contact_crossings.sheets_at_any_speed_and_limit contact_tangles.standing_sheet
  contact_convex.gap_is_the_largest* gradient_surfaces.on_a_* gradient_surfaces.on_an_* gradient_touching.boxes_*
  contact_candidates.lists_find* contact_candidates.what_is_held* contact_candidates.finders_w* contact_plates.do_not_pass
  condensed_product.with_contacts* contact_shapes.distance* contact_chains.bodies* contact_chains.load_of*
  mesh_distance.of_a_grid* contact_parts.a_sheet_elsewhere* guard.theta_keeps* cloth.every_preconditioner*
  gradient_contacts.agree* tasks.touching_bodies* contact_impacts.tumbling_boxes contact_impacts.swarm contact_chains.unsolved* contact_sewn.*
  contact_layers.*)

set(TAUT_SLOW_APP_TESTS *SlowFabrics* *SlowDefaultSteps* *Fabrics.HangFromTwoPins/jersey *Fabrics.HangFromTwoPins/rubber
  Hard.DrivesAgainst* Hard.DrivenLinkages* Mutations.* LedgerOfARun.ClosesWhereThingsBend Surfaces.ASheetThatLandsOnAnEdge*
  Draping.ConvergesWhereItIsFine Draping.HangsFromTwo* Surfaces.ObstaclesMayBe* Vtu.EveryTruncation* GmshBinary.EveryTruncation* Draping.ConvergesIn*Layers
  HangingCloth.* SmallSheets.LandOnABall* SmallSheets.FallOnABall* Lines.RodsAreClamped* OpenColliders.HoldBeadsOnBoth* SlowHair.*)

# On CUDA: hundreds of steps or large scenes, more than ten seconds each in an emulator. What is particular to CUDA in them
# (kinds, schemes, preconditioners, redundant rows) the rest has in small.
set(TAUT_GPU_TESTS real_data.* cloth.* membrane.* pendulum.* soft.bar* soft.spinning* soft.turned* soft.hard* soft.volume*
  reference.moorings* reference.rope* chain.swings* oscillator.un* oscillator.over* oscillator.crit* oscillator.mid*
  robust.redundant* robust.contradictory* robust.equal* formulations.* forces.* solids.* solids_moduli.shape* mechanisms.* rolling.ecc*
  rolling.soft_motor bounds.heavy* bounds.ball_b* steps.linear* steps.angular* steps.far* steps.substeps*
  oracle_step.every* determinism.block graph_stages.no_pre* contact_rope* coupling.body_on_a_cloth* coupling.free*
  coupling.mapped* mapped_masses.masses* mapped_masses.spin* rod_motion.beam* rod_motion.heavy* rod_motion.light* rod_motion.shaft*
  linkages.box* linkages.three* save.schur* save.bodies* save.cloth* save.each* linkages.light_bars_on_hinges* linkages.heavy* linkages.torque* linkages.universal* joints.heavy*
  joints.damped* joints.two* joints.ball* rods.end_moment_closes_a_circle rods.clamps* joint_forces.o* joint_forces.stiff*
  contact_assembly.at* robust.links* closure.* contact_events.of_a_sheet contact_events.of_a_stack
  contact_wheels.contact_point save.deforming* contact_sewn.* contact_held.moved* misfits.close*
  contact_layers.* contact_material.arms* contact_material.a_body* chain.heavy_load* contact_surfaces.rope_falls_on_itself*
  contact_pierced.box*)

# On CUDA: more than four seconds each in an emulator.
set(TAUT_SLOW_CUDA_TESTS contact_broken.* contact_pierced.* contact_material.a_plate* contact_hand.* contact_joined.* contact_unloading.* contact_rolling.* contact_skin.* contact_sliding.* contact_cloth.* contact_schemes.* contact_soft.*
  contact_mesh.same_bits* contact_rules.numbers* contact_arch.* contact_heap.* contact_cuts.*
  contact_piles.* contact_near.* contact_through.* graph_stages.condensed_* graph_stages.changed_writes
  graph_stages.changed_fixing operators.adjoint* operators.positive operators.match* operators.geometric*
  lifecycle.tuning* lifecycle.world_without_memory lifecycle.worlds_are* linkages.light_bars_on_ball* linkages.four_bar*
  oracle_step.* oracle_gauss_seidel.* oracle_condensed.cloth* lines.net* lines.loop* graph_step.* bounds.thread*
  bounds.condensed bounds.brake bounds.schur rods.beams* rods.many_short* rods.end_moment* save.broken* save.contacts* save.a_motion* save.guarded*
  save.force* added.acts* added.room_grows* added.balls* added.welded_bodies* added.cut* added.saved*
  contact_assembly.o* contact_assembly.l* contact_assembly.p* contact_wheels.ball contact_wheels.capsule
  contact_wheels.cylinder contact_wheels.plank* contact_law.minimum* contact_deforming.moves_as* stiff_rows.*
  light_parents.* misfits.* contact_held.* chain.sags* mappings.strings* contact_bounce.heights* queries.leave* queries.rays* contact_events.leave*
  contact_events.of_a_bounce contact_tangles.standing_on* oracle_condensed.redundant* oracle_condensed.t* oracle_condensed.l*
  oracle_condensed.mo* oracle_condensed.b* oracle_condensed.every* formulations_dense.newton* formulations_dense.mom*
  forces_step.newton* memory.gauss* graph.stiffness* graph.adjoint* graph.jacobian_by* condensed.parts* condensed.graph_course
  determinism.multilevel ordering.tuning sdirk.is_of_second* sdirk.work_of_wind* sdirk.work_of_pressure*
  memory.nothing* mappings.one_point* contact_surface.ball_rests*
  contact_slope.static* chain.hangs* coupling.soft_hinge* bodies.thrown* bodies.symmetric* soft.cube_under*
  budgets.o* contact_assembly.c* contact_assembly.s* contact_bounce.f* contact_bounce.o* contact_bounce.s* contact_changes.f*
  contact_changes.go* contact_changes.written_p* contact_corners.b* contact_corners.d* contact_crossings.small_u*
  contact_deforming.g* contact_deforming.p* contact_deforming.sk* contact_deforming.t* contact_events.a* contact_events.o*
  contact_events.w* contact_facets.o* contact_facets.p* contact_facets.s* contact_facets.what_is_r* contact_law.a*
  contact_law.b* contact_law.l* contact_law.o* contact_law.r* contact_law.s* contact_law.w* contact_mesh.b*
  contact_mesh.gaps_an* contact_mesh.m* contact_mesh.p* contact_methods.a* contact_methods.s* contact_overlaps.a*
  contact_overlaps.b* contact_overlaps.f* contact_overlaps.of_a* contact_overlaps.s* contact_overlaps.w* contact_passing.b*
  contact_passing.n* contact_passing.o* contact_rules.b* contact_rules.mo* contact_rules.n* contact_slope.a* contact_slope.b*
  contact_slope.p* contact_slope.s* contact_solids.a* contact_solids.co* contact_solids.ev* contact_solids.m* contact_stacks.o*
  contact_stacks.r* contact_started.s* contact_surface.bou* contact_surface_rules.m* contact_surface_rules.s* contact_walking.s*
  contact_wheels.c* determinism.ga* determinism.graph_a* prestress.sw* queries.c* rolling.w* solids_moduli.st* solids_volume.c* solids_volume.f*
  solids_volume.s*)

# Every kernel in small: repeated in other orders of execution. The second list as slow as those above.
set(TAUT_ORDER_TESTS calls.* streams.* multilevel_device* stages.c* stages.d* stages.h* stages.a* stages.b* stages.l*
  stages.targets* stages.tet* stages.membranes* stages.moving* stages.redundant* determinism.jacobi determinism.chebyshev
  determinism.graph_jacobi determinism.condensed determinism.aggregates determinism.parts operators.right*
  graph_stages.implicit* contact_free.* contact_moving.* contact_search.* contact_surfaces.* contact_growth.*
  contact_plates.*)
set(TAUT_SLOW_ORDER_TESTS calls.refused_at_creation streams.changes* streams.added* streams.polled* streams.only_steps* streams.other_steps*
  streams.a_capture* streams.poll_leaves* streams.arrays* operators.compose* graph_stages.changed_forces*
  graph_stages.changed_goals* contact_surfaces.crossing* contact_tangles.tilted_on*
  contact_tangles.rope_on*
  contact_free.e* contact_growth.goes_on_w* contact_moving.plate_c* contact_moving.po* contact_moving.s*
  contact_moving.turntable_* contact_plates.d* contact_search.n* contact_surfaces.m*)

# taut_join(RESULT SUFFIX PATTERNS...): each pattern with the suffix, between colons.
function(taut_join result suffix)
  list(TRANSFORM ARGN APPEND "${suffix}")
  list(JOIN ARGN ":" joined)
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()

# gtest_discover_tests takes one label at most. So each list of tests that it leaves in ctest's own script gets its labels in
# another one, which ctest reads behind them: taut_write_labels, called last, names that.
set(TAUT_LABEL_SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/labels.cmake)
file(WRITE ${TAUT_LABEL_SCRIPT} "")
function(taut_write_labels)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${TAUT_LABEL_SCRIPT})
endfunction()

# taut_discover(PROGRAM FILTER LABELS [ARGUMENTS OF gtest_discover_tests])
function(taut_discover program filter labels)
  string(MD5 list "${program} ${filter} ${ARGN}")
  gtest_discover_tests(${program} DISCOVERY_TIMEOUT 60 TEST_FILTER "${filter}" TEST_LIST tests_${list} ${ARGN})
  file(APPEND ${TAUT_LABEL_SCRIPT}
    "if(tests_${list})\n  set_tests_properties(\${tests_${list}} PROPERTIES LABELS \"${labels}\")\nendif()\n")
endfunction()

function(taut_discover_tests program room)
  taut_join(slow "*" ${TAUT_SLOW_TESTS})
  taut_join(gpu "/cuda" ${TAUT_GPU_TESTS})
  taut_discover(${program} "-${slow}:*/cuda" ${room})
  taut_discover(${program} "${slow}-*/cuda" "${room};slow")
  if(TAUT_WITH_CUDA)
    taut_join(slow "/cuda" ${TAUT_SLOW_CUDA_TESTS})
    taut_join(orders "/cuda" ${TAUT_ORDER_TESTS})
    taut_join(slow_orders "/cuda" ${TAUT_SLOW_ORDER_TESTS})
    taut_discover(${program} "*/cuda-${gpu}:${slow}:${orders}:${slow_orders}" "${room};cuda")
    taut_discover(${program} "${slow}-${gpu}:${orders}:${slow_orders}" "${room};cuda;slow")
    taut_discover(${program} "${orders}-${gpu}:${slow_orders}" "${room};cuda;orders")
    taut_discover(${program} "${slow_orders}-${gpu}" "${room};cuda;orders;slow")
    taut_discover(${program} "${gpu}" "${room};cuda;gpu")
  endif()
endfunction()

# taut_discover_method(PROGRAM ROOM METHOD FILTER WITHOUT...): the tests again, solved by METHOD.
function(taut_discover_method program room method filter)
  list(JOIN ARGN ":" without)
  taut_discover(${program} "${filter}-${without}" "${room};methods"
    TEST_PREFIX by_${method}. PROPERTIES ENVIRONMENT TAUT_TEST_METHOD=${method})
endfunction()
