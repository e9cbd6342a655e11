# Physics of whole scenes against closed forms, and real meshes. Included by core.cmake; paths are from tests/.
set(TAUT_PHYSICS_TESTS
  core/phys_meshes.c
  core/phys_scenes.c
  core/test_pendulum.c
  core/test_chain.c
  core/test_oscillator.c
  core/test_soft.c
  core/test_membrane.c
  core/test_reference.c
  core/test_cloth.c
  core/test_real_data.c)
