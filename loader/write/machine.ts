import { randomBytes } from 'node:crypto'
import type { NewSeed } from '../decode/keyed-hash.ts'

/** Services of the process that reads a file. */
export interface Machine {
  /** Seeds hash tables, so that no file can be crafted to collide in them. The written bytes do not depend on it. */
  readonly newSeed: NewSeed
  /** Returns the processor time that all threads of the process have used, in seconds. */
  cpuSeconds(): number
}

/** This process. */
export const realMachine: Machine = {
  newSeed: () => randomBytes(4).readUInt32LE(),
  cpuSeconds() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
}
