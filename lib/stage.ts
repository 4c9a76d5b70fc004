import type { Node } from 'constructs'
import type { WarehouseDescription } from './warehouse-description.ts'

/** The configuration of a deployment. Each stage is one typed object; nothing else is configurable. */
export interface Stage {
  /** Part of stack names and of the API's path: letters, digits and hyphens. */
  readonly name: string
  /**
   * The base URL of `/v1`, without a trailing slash. `{apiId}`, `{region}`, `{domain}` (amazonaws.com, or that of
   * another partition) and `{stage}` are replaced by the deployed API's values. It is never taken from a client's
   * headers.
   */
  readonly publicBaseUrl: string
  /** Days for which a job and its files are kept, counted from the job's end. */
  readonly retentionDays: number
  /** Hours that a job may wait for its first query to start, while Athena or Lambda has no capacity. */
  readonly waitingHours: number
  /**
   * Hours that a job may take from the start of its first query, including later attempts. Athena ends a query after 30
   * minutes unless its quota is raised (docs/operations.md, "Before the first deploy").
   */
  readonly runningHours: number
  /** Whether destroying the stacks may delete jobs, keys, results and rates. */
  readonly disposable: boolean
  /**
   * Bytes that one search may read before Athena ends it; at least 10 MB. Applies to the stage's own `Warehouse` stack.
   */
  readonly dataLimitBytes: number
  /** Sustained and burst request rate for all clients together; excess requests get 429. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number }
  /** An existing warehouse of the operator. @default - the stage gets a `Warehouse` stack */
  readonly warehouse?: WarehouseDescription
  /** Endpoint of Athena, for AWS emulators without it. @default - AWS */
  readonly athenaEndpoint?: string
  /** ARN of the KMS key for tables, results and rates. @default - keys owned by AWS, at no cost */
  readonly encryptionKeyArn?: string
  /** Email address for alarms. @default - alarms are only shown on the dashboard */
  readonly alarmEmail?: string
  /**
   * Whether the API writes an access log (never headers or bodies). This sets API Gateway's logging role for the whole
   * account.
   * @default false
   */
  readonly accessLog?: boolean
}

/** The defaults of a stage. */
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

/** For stages with the local Athena: names, and a bucket for manifests. */
const localWarehouse: WarehouseDescription = {
  workGroup: 'rate-search',
  database: 'rate_search',
  queryResults: 's3://rate-search-query-results/',
  dataLocations: [],
}

/** LocalStack's default address. */
export const defaultEmulatorUrl = 'http://127.0.0.1:4566'

/** The stages by name. Operators add theirs here. */
export const stages = {
  dev: defaultStage,
  prod: { ...defaultStage, name: 'prod', disposable: false },
  // The stage of `npm start`. Its address is only known then, and comes from the context.
  local: { ...defaultStage, name: 'local', warehouse: localWarehouse },
  // LocalStack or another emulator, with the local Athena beside it.
  emulator: {
    ...defaultStage,
    name: 'emulator',
    publicBaseUrl: `${defaultEmulatorUrl}/_aws/execute-api/{apiId}/{stage}`,
    warehouse: localWarehouse,
  },
} satisfies Record<string, Stage>

/**
 * Reads the stage from the app's context: `-c stage=prod`; `-c publicBaseUrl=…` and `-c athenaEndpoint=…` set addresses
 * that are only known at run time.
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
