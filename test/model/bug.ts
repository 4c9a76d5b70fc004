import type { Property } from './property-broken.ts'
import type { Reintroduced } from './service-under-test.ts'

/** A bug that the service could have, and the property that it breaks. */
export interface Bug extends Reintroduced {
  readonly name: string
  readonly property: Property
  /** Whether it takes calls that are under way at once. */
  readonly isRace?: boolean
}
