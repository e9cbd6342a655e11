# The matrix of methods: contact and physics again by each method of solving alone. Label `methods`.

# Contact. Cloth, ropes and heaps take projected gradients too long; one test names a preconditioner;
# in another one rows contradict contacts.
set(contact_without contact_stacks* contact_cloth* contact_events.of_a_sheet* contact_heap* contact_rope* contact_soft* contact_surfaces*
  contact_methods* contact_broken.what_rows_are_left* contact_rolling.every_formulation*
  contact_crossings* contact_walking*)
taut_discover_method(taut_contact_tests contact projected_gradient "contact_*/cpu" ${contact_without})

# Physics. Three tests are about preconditioners that only the Schur complement has; hard chains under 1e5 times their weight
# are beyond the condensed system. The least compliance of bends is relative to masses in the Schur complement, and far too
# much for strips of 4e-6 kg/m^2; of tetrahedra it takes more iterations than there may be for a tolerance of rounding.
set(physics pendulum chain oscillator soft membrane cloth reference bodies joints linkages rods rod_motion coupling mappings
  mapped_masses)
list(TRANSFORM physics APPEND ".*/cpu")
list(JOIN physics ":" physics)
set(physics_without_condensed *every_preconditioner* rods.many_short_pieces_* chain.swings_a_heavy_load_*)
set(physics_without_direct *every_preconditioner*)
set(physics_without_schur membrane.light_strips* soft.what_rests_*)
set(methods condensed schur)
if(TAUT_WITH_DIRECT)
  list(APPEND methods direct)
endif()
foreach(method IN LISTS methods)
  taut_discover_method(taut_physics_tests physics ${method} "${physics}" ${physics_without_${method}})
endforeach()
