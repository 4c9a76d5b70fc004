import { randomBytes } from 'node:crypto'
import type { NewSeed } from '../decode/keyed-hash.ts'

/** What reading a file takes from the process that reads it. */
export interface Machine {
  /** Seeds hash tables, so that no file can be made to collide in them. What is written does not depend on it. */
  readonly newSeed: NewSeed
  /** Seconds of processor time that the process has used, of all its threads. */
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
