import type { Node } from 'constructs'
import type { WarehouseDescription } from './warehouse-description.ts'

/** What differs between deployments of the service. One typed object a stage; nothing else is configuration. */
export interface Stage {
  /** Stands in stack names and in the API's path: letters, digits and hyphens. */
  readonly name: string
  /**
   * The address below which clients find `/v1`, without a slash at the end. `{apiId}`, `{region}`, `{domain}`
   * (amazonaws.com, or that of another partition) and `{stage}` stand for the deployed API's own. A header that a client sends is never believed.
   */
  readonly publicBaseUrl: string
  /** Days for which a job and its files are kept, counted from the job's end. */
  readonly retentionDays: number
  /** Hours that a job may wait for its first query to start, while Athena or Lambda has no room for it. */
  readonly waitingHours: number
  /**
   * Hours that a job may take from the start of its first query, later attempts included. Athena itself ends a query after
   * 30 minutes unless its quota is raised (docs/operations.md, "Before the first deploy").
   */
  readonly runningHours: number
  /** Whether destroying the stacks may take jobs, keys, results and rates along. */
  readonly disposable: boolean
  /** Bytes that one search may read before Athena ends it; at least 10 MB. For the stage's own warehouse. */
  readonly dataLimitBytes: number
  /** Requests a second and at once that the API takes from all clients together; more get 429. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number }
  /** A warehouse of the operator's own. @default - the stage gets a `Warehouse` stack */
  readonly warehouse?: WarehouseDescription
  /** Address of another Athena, for an emulator of AWS that has none. @default - Athena itself */
  readonly athenaEndpoint?: string
  /** ARN of the KMS key for tables, results and rates. @default - keys that AWS owns, at no cost */
  readonly encryptionKeyArn?: string
  /** Where alarms go. @default - they are shown on the dashboard alone */
  readonly alarmEmail?: string
  /**
   * Whether the API writes an access log (never headers or bodies). API Gateway writes with one role for the whole
   * account, which this sets. @default false
   */
  readonly accessLog?: boolean
}

/** What a stage is unless it says otherwise. */
export const defaultStage: Stage = {
  name: 'dev',
  publicBaseUrl: 'https://{apiId}.execute-api.{region}.{domain}/{stage}',
  retentionDays: 7,
  waitingHours: 6,
  runningHours: 2,
  disposable: true,
  dataLimitBytes: 100_000_000_000,
  throttle: { requestsPerSecond: 200, burst: 400 },
}

/** Where there is no Athena but the local one: names, and a bucket for manifests. */
const localWarehouse: WarehouseDescription = {
  workGroup: 'rate-search',
  database: 'rate_search',
  queryResults: 's3://rate-search-query-results/',
  dataLocations: [],
}

/** Where LocalStack listens unless it is told otherwise. */
export const defaultEmulatorUrl = 'http://127.0.0.1:4566'

/** The stages of this checkout, by name. An operator's own go here. */
export const stages = {
  dev: defaultStage,
  prod: { ...defaultStage, name: 'prod', disposable: false },
  // What `npm start` runs; its address is known only then, and comes with the context.
  local: { ...defaultStage, name: 'local', warehouse: localWarehouse },
  // LocalStack or the like, with the local Athena beside it.
  emulator: {
    ...defaultStage,
    name: 'emulator',
    publicBaseUrl: `${defaultEmulatorUrl}/_aws/execute-api/{apiId}/{stage}`,
    warehouse: localWarehouse,
  },
} satisfies Record<string, Stage>

/**
 * The stage that the app's context asks for: `-c stage=prod`; `-c publicBaseUrl=…` and `-c athenaEndpoint=…` for addresses
 * that are known only when something has started.
 *
 * @throws UnknownStage
 */
export function chooseStage(node: Node): Stage {
  const name: unknown = node.tryGetContext('stage') ?? defaultStage.name
  const stage: Stage | undefined = Object.entries(stages).find(([known]) => known === name)?.[1]
  if (stage === undefined) throw new UnknownStage(String(name))
  const read = (key: 'publicBaseUrl' | 'athenaEndpoint') => {
    const value: unknown = node.tryGetContext(key)
    return typeof value === 'string' ? { [key]: value } : {}
  }
  return { ...stage, ...read('publicBaseUrl'), ...read('athenaEndpoint') }
}

/** The context names a stage that `lib/stage.ts` does not have. */
export class UnknownStage extends Error {
  override readonly name = 'UnknownStage'
  constructor(stage: string) {
    super(`there is no stage "${stage}"; lib/stage.ts has ${Object.keys(stages).join(', ')}`)
  }
}
