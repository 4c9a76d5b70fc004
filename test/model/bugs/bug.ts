import type { Property } from '../property-broken.ts'
import type { Reintroduced } from '../service-under-test.ts'

/** A bug that the service could have, and the property that it violates. */
export interface Bug extends Reintroduced {
  readonly name: string
  readonly property: Property
  /** True if only concurrent calls show it. */
  readonly isRace?: boolean
}
