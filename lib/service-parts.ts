import type { Api } from './api/api.ts'
import type { Use } from './functions/service-function.ts'
import type { Stage } from './stage/stage.ts'
import type { ResultsBucket } from './storage/results-bucket.ts'
import type { Tables } from './storage/tables.ts'
import type { CataloguedWarehouse, QueryUses } from './warehouse/query-uses.ts'

/** Everything that the functions of calls, workflow and timers may use. */
export interface ServiceParts {
  readonly stage: Stage
  readonly warehouse: CataloguedWarehouse
  readonly api: Api
  readonly tables: Tables
  readonly results: ResultsBucket
  readonly queries: QueryUses
  /** Lets a function report ended searches, as a metric and as an event. */
  readonly reportEnds: Use
}
