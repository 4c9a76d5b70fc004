import type { Node } from 'constructs'

/** What differs between deployments of the service. One typed object a stage; nothing else is configuration. */
export interface Stage {
  /** Names the stacks' resources in the console and the stage of the API: letters, digits and hyphens. */
  readonly name: string
  /**
   * The address below which clients find `/v1`, without a slash at the end. `{apiId}`, `{region}` and `{stage}` stand
   * for the deployed API's own. A header that a client sends is never believed.
   */
  readonly publicBaseUrl: string
  /** Days for which a job and its files are kept, counted from the job's end. */
  readonly retentionDays: number
  /** Hours after which a job that has not ended is given up, capacity waits included. */
  readonly deadlineHours: number
  /** Whether `cdk destroy` may take the data along. */
  readonly disposable: boolean
}

/** The stage that a checkout deploys unless told otherwise. */
export const defaultStage: Stage = {
  name: 'dev',
  publicBaseUrl: 'https://{apiId}.execute-api.{region}.amazonaws.com/{stage}',
  retentionDays: 7,
  deadlineHours: 2,
  disposable: true,
}

/** The stage that the app's context asks for (`cdk … -c publicBaseUrl=https://rates.example.com`). */
export function chooseStage(node: Node): Stage {
  const publicBaseUrl: unknown = node.tryGetContext('publicBaseUrl')
  return typeof publicBaseUrl === 'string' ? { ...defaultStage, publicBaseUrl } : defaultStage
}
