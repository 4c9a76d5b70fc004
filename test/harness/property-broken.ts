/** Properties that must hold for any events in any order. */
export const properties = {
  P1: 'a status only moves forward, and the end of a job never changes',
  P2: 'every accepted job ends, and leaves no execution or query running',
  P3: 'the same organization, Idempotency-Key and body always give the same job',
  P4: 'a completed job lists exactly the files of its own query, and they exist',
  P5: "another organization's job is answered like one that does not exist",
  P6: 'every answer conforms to the contract, and nothing fails without an injected fault',
  P7: 'no log line contains a key or a URL',
  P8: 'repeated and late events do not change a job that has ended',
  P9: 'sweeps are idempotent, even when they run concurrently',
  P10: 'a revoked key, or one of an inactive organization, is refused from the next request on',
  P11: 'each ended job is counted once, by how it ended',
  P12: 'each ended job is announced, and only as it ended',
  P13: 'an organization never exceeds its limits, and is refused a search or an estimate only if it reached one',
  P14: 'the list has each job of the organization once, the newest first, and no status older than a poll',
  P15: 'the manifest of a job agrees with its request and its poll',
  P16: 'an estimate starts nothing, and says which fee schedules a search would find',
  P17: 'the queries of a job run out of memory at most twice, the second time in the other order of joins',
  P18: 'a job fails to read its lists of files at most once, and no later query of it reads lists',
} as const

export type Property = keyof typeof properties

/** A run has violated a property; the message begins with the property's name. */
export class PropertyBroken extends Error {
  override readonly name = 'PropertyBroken'
  readonly property: Property
  constructor(property: Property, evidence: string) {
    super(`${property} (${properties[property]}): ${evidence}`)
    this.property = property
  }
}

/** @throws PropertyBroken if it does not hold */
export function hold(property: Property, holds: boolean, evidence: string): asserts holds {
  if (!holds) throw new PropertyBroken(property, evidence)
}
