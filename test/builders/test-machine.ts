import type { Machine } from '../../loader/write/machine.ts'
import { createRandom } from '../bench/loader/random.ts'

/** A machine whose seeds are always the same, and which uses no processor time. */
export const testMachine = (seed = 1): Machine => ({ newSeed: seedsFrom(seed), cpuSeconds: () => 0 })

/** Seeds of 32 bits that a first one determines. */
export function seedsFrom(seed: number): () => number {
  const random = createRandom(seed)
  return () => random.below(2 ** 32)
}
