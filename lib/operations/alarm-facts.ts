/** Page with a section for each alarm, under the alarm's name. */
export const runbooksPage = 'docs/runbooks.md'

/** Facts of an alarm that depend on no resource. */
export interface AlarmFacts {
  /** Also the heading of its runbook. */
  readonly name: string
  /**
   * The alarm fires at or above this value; with `firesBelow`, below it. `set by the stage` is the stage's
   * `alarmBytesPerHour`. @default 1
   */
  readonly threshold?: number | 'set by the stage'
  /** Number of consecutive periods. @default 1 */
  readonly periods?: number
  /** Consequence for users. */
  readonly impact: string
  /** Values below the threshold are the problem. Without any data, such an alarm keeps its state. @default false */
  readonly firesBelow?: boolean
  /** The only stages that have the alarm. @default - all stages */
  readonly onlyWith?: 'loads on AWS' | 'an own relation'
}

/** All alarms, in the order of the dashboard. */
export const alarmFacts = [
  {
    name: 'SearchesFail',
    impact: 'Searches fail with "internal:", "nothing_read:" or "file_missing:" through no fault of the client.',
  },
  {
    name: 'SearchesTimeOut',
    impact: 'Searches fail with "timeout:" because they waited or ran too long.',
  },
  {
    name: 'JobsWait',
    threshold: 300,
    impact: 'Searches are accepted, but their queries do not start: clients keep polling.',
  },
  {
    name: 'JobsLast',
    threshold: 3600,
    impact: 'The query of a search has run for an hour, and its client is still waiting for a result.',
  },
  {
    name: 'EndsUnannounced',
    threshold: 600,
    impact: 'Searches have ended, but subscribers do not learn of it, and the searches may still fill their limits.',
  },
  {
    name: 'SweeperSilent',
    periods: 3,
    impact: 'The sweeper does not run: a search whose start was lost would stay queued forever.',
    firesBelow: true,
  },
  {
    name: 'SearchesBreak',
    impact: 'The workflow of a search met an unexpected error or was stopped, so the search fails.',
  },
  {
    name: 'ApiFails',
    threshold: 5,
    impact: 'Clients get HTTP 500: searches can be neither created nor polled.',
  },
  {
    name: 'CallsThrottled',
    periods: 3,
    impact: 'API calls are throttled by Lambda: clients get errors.',
  },
  {
    name: 'CallsFail',
    threshold: 5,
    impact: 'API functions crash or time out: clients get HTTP 502 without a reason.',
  },
  {
    name: 'FunctionsThrottled',
    periods: 3,
    impact: 'Steps of searches are throttled by Lambda: searches take longer than they should.',
  },
  {
    name: 'FunctionsFail',
    threshold: 5,
    impact: 'Functions throw unexpected errors; steps are retried, and searches may fail.',
  },
  {
    name: 'TablesThrottled',
    periods: 3,
    impact: 'DynamoDB throttles tables of searches: calls and steps take longer, and may fail.',
  },
  {
    name: 'WorkflowThrottled',
    periods: 3,
    impact: 'Step Functions throttles the workflow: searches take longer than they should.',
  },
  {
    name: 'EventsLost',
    impact: 'The end of a broken search was not recorded, or webhooks were not told of an event.',
  },
  {
    name: 'WebhooksFail',
    impact: 'Calls of a webhook were given up after more than a day: its organization has not learned of events.',
  },
  {
    name: 'BytesScanned',
    threshold: 'set by the stage',
    impact: 'Queries read more than expected in an hour: clients notice nothing, but Athena bills $5 a terabyte.',
  },
  {
    name: 'FeeSchedulesStale',
    periods: 2,
    impact: 'The relation fee_schedules cannot be read: new plans cannot be searched, removed plans stay listed.',
    onlyWith: 'an own relation',
  },
  {
    name: 'LoadsFail',
    impact: 'A load on AWS failed or did not start: searches keep reading what was loaded before.',
    onlyWith: 'loads on AWS',
  },
  {
    name: 'LoadsBlocked',
    impact: 'AWS Batch can start no job of a load: it waits, and fails after hours if nothing changes.',
    onlyWith: 'loads on AWS',
  },
  {
    name: 'PlansLeftOut',
    impact: 'A load on AWS left out plans: searches keep reading what these had before, if anything.',
    onlyWith: 'loads on AWS',
  },
] as const satisfies readonly AlarmFacts[]

export type AlarmName = (typeof alarmFacts)[number]['name']
