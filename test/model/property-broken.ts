/** What must hold of the service, whatever happens to it and in whatever order. */
export const properties = {
  P1: 'a status only moves forward, and what a job ended as never changes',
  P2: 'every accepted job ends, and nothing of it runs on',
  P3: 'one organization, Idempotency-Key and body are one job',
  P4: 'a completed job lists the files of its own query, all and only those, and they are there',
  P5: "another organization's job is answered like one that never was",
  P6: 'every answer is one that is specified, and nothing breaks that was not broken',
  P7: 'no line of the log has a key or a URL',
  P8: 'repeated and late events change nothing that has ended',
  P9: 'any number of sweeps do what one does',
  P10: 'a key that may no longer be used is refused from the next request on',
  P11: 'each job that ends is counted once, under how it ended',
} as const

export type Property = keyof typeof properties

/** A property that a run has found broken; its message begins with the property's name. */
export class PropertyBroken extends Error {
  override readonly name = 'PropertyBroken'
  readonly property: Property
  constructor(property: Property, found: string) {
    super(`${property} (${properties[property]}): ${found}`)
    this.property = property
  }
}

/** @throws PropertyBroken where it does not hold */
export function hold(property: Property, holds: boolean, found: string): asserts holds {
  if (!holds) throw new PropertyBroken(property, found)
}
