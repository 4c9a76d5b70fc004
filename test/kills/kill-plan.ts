/** When a life of the service ends. */
export interface KillMoment {
  /**
   * While it starts; after a search was sent; after a file of a result appeared; the same of a job that an earlier kill
   * left behind, minutes after.
   */
  readonly phase: 'start' | 'creation' | 'query' | 'publish' | 'recovery'
  /** After the phase began, in milliseconds. */
  readonly afterMs: number
  /** How many searches are sent in this life before the one that the moment counts from. */
  readonly searches: number
}

/** How far into each phase a kill may come: about as long as the phase takes. */
const longestMs = { start: 6000, creation: 60, query: 900, publish: 60, recovery: 60 } as const

const phases = ['start', 'creation', 'query', 'publish', 'recovery'] as const

/** Draws the one to three kills of a run. */
export function planKills(random: () => number): readonly KillMoment[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => {
    // There is nothing to recover before the first kill.
    const choices = index === 0 ? phases.length - 1 : phases.length
    const phase = phases[Math.floor(random() * choices)] ?? 'query'
    return { phase, afterMs: random() * longestMs[phase], searches: Math.floor(random() * 8) }
  })
}

/** Numbers from 0 to 1 that a seed decides (mulberry32): a run can be seen again with the moments that it had. */
export function startRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
