import type { SpecialtiesAdmin } from '../../../core/vocabulary/ports.ts'
import type { Specialty } from '../../../core/vocabulary/specialties.ts'

/** Keeps specialties in memory. */
export function createMemorySpecialties(): SpecialtiesAdmin {
  let storedSpecialties: readonly Specialty[] = []
  return {
    readSpecialties: async () => storedSpecialties.toSorted((a, b) => (a.code < b.code ? -1 : 1)),
    writeSpecialties: async (specialties) => {
      storedSpecialties = specialties
    },
  }
}
