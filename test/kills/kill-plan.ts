/** When to kill the service. */
export interface KillMoment {
  /**
   * start: while the service starts; creation: right after a search was sent; query: while its query runs; publish:
   * after a file of a result appeared; recovery: the same for a job orphaned by an earlier kill.
   */
  readonly phase: 'start' | 'creation' | 'query' | 'publish' | 'recovery'
  /** Milliseconds after the phase begins. */
  readonly afterMs: number
  /** Number of searches that are sent before the one in whose phase the kill happens. */
  readonly searches: number
}

/** The latest kill in each phase, in milliseconds: about as long as the phase takes. */
const maxMs = { start: 6000, creation: 60, query: 900, publish: 60, recovery: 60 } as const

const phases = ['start', 'creation', 'query', 'publish', 'recovery'] as const

/** Draws one to three kills for a run. */
export function planKills(random: () => number): readonly KillMoment[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => {
    // There is nothing to recover before the first kill.
    const choices = index === 0 ? phases.length - 1 : phases.length
    const phase = phases[Math.floor(random() * choices)] ?? 'query'
    return { phase, afterMs: random() * maxMs[phase], searches: Math.floor(random() * 8) }
  })
}

/** A seeded generator of numbers from 0 to 1 (mulberry32), so that a run can be repeated with the same kills. */
export function startRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
