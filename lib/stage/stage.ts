import * as v from 'valibot'
import { maxLimits } from '../../schema/limits.ts'
import { loadsSettings } from './loads-settings.ts'
import { keyArn, numberIn, optional, resourceTags, showValue, text, withDefault } from './stage-values.ts'
import { warehouseDescription } from './warehouse-description.ts'

/** Configuration of a deployment. A stage is a JSON file, and there is no other configuration. */

/**
 * Range of a workgroup's limits, in bytes. The minimum is Athena's (API Reference, BytesScannedCutoffPerQuery). With
 * the maximum, a search could cost $5,000.
 */
const dataLimits = { least: 10_000_000, most: 1_000_000_000_000_000 } as const

/** Maximum hours of a wait and of a run: an execution lasts at most a year. Source: Step Functions, "Quotas". */
const maxHours = 4000

/** Default limits of an organization; a stage or an organization can have other limits. */
const defaultLimits = { searches: 20, perMinute: 60 } as const

const address = v.pipe(
  v.string(({ input }) => `must be an http or https URL, not ${showValue(input)}`),
  v.regex(
    /^https?:\/\/[^\s/?#@]+(?:\/[^\s/?#]+)*$/,
    ({ input }) => `must be an http or https URL without a slash at its end, not ${showValue(input)}`,
  ),
)

/**
 * Maximum number of topics in a stage file. An alarm has at most five actions, and one is the topic of email addresses.
 * Source: CloudWatch API, PutMetricAlarm.
 */
const maxAlarmTopics = 4

/** Maximum number of addresses of a budget. Source: AWS Budgets API, `NotificationWithSubscribers`. */
const maxBudgetAddresses = 10

const emailAddress = text(/^[^\s@:]+@[^\s@.]+(?:\.[^\s@.]+)+$/, 'an email address')

/** The fields of a stage file, as an operator writes them. */
export const stageFile = v.strictObject({
  $schema: v.exactOptional(v.string()),
  account: optional(
    text(/^\d{12}$/, 'an account of 12 digits, as a text'),
    'Account to deploy to; any other account is refused. Default: the account of the credentials.',
  ),
  region: optional(
    text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1'),
    'Region to deploy to; any other region is refused. Default: the region in the settings of the AWS SDK.',
  ),
  permissionsBoundary: optional(
    text(
      /^(?:arn:[\w-]+:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+|[\w+=,.@-]{1,128})$/,
      'the name or the ARN of a managed policy of IAM',
    ),
    'Managed policy that bounds the rights of every role of the stage, by its name in the account or by its ARN. Default: none.',
  ),
  rolePath: optional(
    text(/^\/(?:[\w+=,.@-]+\/)+$/, 'a path of IAM such as /workloads/, with slashes around it'),
    'Path of every role of the stage, for accounts that allow roles only below one. A change replaces all roles. Default: /.',
  ),
  tags: optional(
    resourceTags,
    'Tags of every resource of the stage and of its stack, besides service and rate-search-stage: { "<key>": "<value>" }. Default: none.',
  ),
  publicBaseUrl: optional(
    v.pipe(
      address,
      v.check(
        (url) => !/[{}]/.test(url.replace(/\{(apiId|region|domain|stage)\}/g, '')),
        ({ input }) => `may have {apiId}, {region}, {domain} and {stage} in braces, not ${showValue(input)}`,
      ),
    ),
    'Address below which clients find /v1, without a slash at the end; {apiId}, {region}, {domain} and {stage} are filled in. Default: the custom domain, else the address of the API in API Gateway.',
  ),
  customDomain: optional(
    v.pipe(
      v.strictObject({
        name: v.pipe(
          text(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'a domain name in lower case'),
          v.description('The domain name, for example rates.example.com.'),
        ),
        certificateArn: v.pipe(
          text(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of a certificate of ACM'),
          v.description('The certificate of ACM for the name, in the region of the stage.'),
        ),
        hostedZone: optional(
          v.strictObject({
            id: text(/^[A-Z0-9]+$/, 'the id of a hosted zone of Route 53'),
            name: text(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'the name of the hosted zone'),
          }),
          'The zone of Route 53 that gets the DNS record. Default: none, make the record yourself.',
        ),
      }),
      v.check(
        ({ name, hostedZone }) => hostedZone === undefined || `.${name}`.endsWith(`.${hostedZone.name}`),
        ({ input: { name, hostedZone } }) =>
          `is ${showValue(name)}, which is not in its hostedZone ${showValue(hostedZone?.name)}`,
      ),
    ),
    'A domain of your own for the API. Clients then use https://<name>.',
  ),
  retentionDays: withDefault(numberIn(1, 3650), "Days for which a job and its files are kept, from the job's end.", 7),
  waitingHours: withDefault(
    numberIn(1, maxHours),
    'Hours that a job may wait for its first query, while Athena or Lambda has no room for it.',
    6,
  ),
  runningHours: withDefault(
    numberIn(1, maxHours),
    'Hours that a job may take from the start of its first query. Athena ends a query after 30 minutes unless its quota is raised.',
    2,
  ),
  disposable: withDefault(v.boolean(), 'True: destroying the stage deletes its jobs, keys, results and rates.', false),
  dataLimitBytes: withDefault(
    numberIn(dataLimits.least, dataLimits.most),
    "Bytes that one search may read before Athena ends it, in the stage's own warehouse.",
    100_000_000_000,
  ),
  alarmBytesPerHour: withDefault(
    numberIn(dataLimits.least, dataLimits.most),
    'Bytes that all queries of the stage may read within an hour before the alarm BytesScanned fires. Athena bills $5 a terabyte in most regions.',
    1_000_000_000_000,
  ),
  throttle: withDefault(
    v.strictObject({ requestsPerSecond: numberIn(1, 100_000), burst: numberIn(1, 100_000) }),
    'Requests from all clients together, per second and at once; further requests get 429.',
    { requestsPerSecond: 200, burst: 400 },
  ),
  limits: withDefault(
    v.strictObject({
      searches: withDefault(numberIn(1, maxLimits.searches), 'Searches that have not ended.', defaultLimits.searches),
      perMinute: withDefault(
        numberIn(1, maxLimits.perMinute),
        'Searches created per minute, and at once. Estimates have a separate limit of the same number, lookups and reads of rows one of five times as many.',
        defaultLimits.perMinute,
      ),
      waits: v.exactOptional(
        v.never('is now a setting of the stage, because it is no limit of organizations: "waitingCalls": <n>'),
      ),
    }),
    'Limits of each organization, unless `npm run keys -- set-limits` changes them; requests over a limit get 429.',
    defaultLimits,
  ),
  fewFunctions: withDefault(
    v.boolean(),
    'True where the account has fewer than 50 concurrent executions of Lambda: between two looks at a query of more than five seconds, 15 seconds apart, no function runs, so that searches leave room for other calls.',
    false,
  ),
  waitingCalls: withDefault(
    numberIn(0, 1000),
    'Calls of all organizations that may wait at once for the end of a search (`wait`); each keeps a Lambda function busy for up to 20 seconds. Further ones answer at once. 0 where the account has ten concurrent executions.',
    0,
  ),
  unknownSizes: withDefault(
    v.boolean(),
    'True: assistants at /v1/mcp may also start searches whose size cannot be estimated, because their fee schedules have more than 100,000 files. Over an own relation they always may; its workgroup should have a limit.',
    false,
  ),
  warehouse: optional(
    warehouseDescription,
    'A warehouse of your own. Default: the stage gets one that `npm run load` fills.',
  ),
  ratesBucket: optional(
    text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
    "A bucket with loaded rates that the stage's own warehouse uses in place of a new one: of an earlier deployment that kept it. Default: a new bucket.",
  ),
  searchFiles: withDefault(
    v.picklist(['auto', 'lists', 'folders']),
    'The way in which searches find the files of their fee schedules: `lists` writes a list of them for each search; `folders` names their folders in the statement. Both have the same results. `auto` uses lists, and where Athena cannot read them, folders.',
    'auto',
  ),
  loads: optional(
    loadsSettings,
    'Loads by many workers on AWS Batch, `npm run load -- --on aws`; {} for the defaults. Default: none, loads run on the machine that starts them.',
  ),
  athenaEndpoint: optional(address, 'Another Athena, for an emulator of AWS that has none.'),
  encryptionKeyArn: optional(keyArn, 'KMS key for tables, results and rates. Default: keys that AWS owns.'),
  catalogKeyArn: optional(
    keyArn,
    'KMS key with which the account encrypts its Glue Data Catalog (mode SSE-KMS), so that searches can read it. Default: none, the catalog has no key of the account.',
  ),
  alarms: withDefault(v.boolean(), 'True: the stage has alarms and a dashboard, which cost about $9 a month.', true),
  alarmEmail: v.exactOptional(v.never('is now a list: "alarmTargets": ["<address>"]')),
  alarmTargets: withDefault(
    v.pipe(
      v.array(
        text(
          /^(?:[^\s@:]+@[^\s@.]+(?:\.[^\s@.]+)+|arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256})$/,
          'an email address or the ARN of an SNS topic',
        ),
      ),
      v.check(
        (targets) => targets.filter((target) => target.startsWith('arn:')).length <= maxAlarmTopics,
        `must have at most ${maxAlarmTopics} topics: an alarm has at most five actions`,
      ),
    ),
    'Recipients of alarms: email addresses, and ARNs of SNS topics (for chat or paging) that CloudWatch may publish to. Default: none, alarms only show on the dashboard.',
    [],
  ),
  budget: optional(
    v.strictObject({
      dollarsPerMonth: numberIn(1, 1_000_000),
      addresses: v.pipe(
        v.array(emailAddress),
        v.minLength(1, 'must name an email address'),
        v.maxLength(maxBudgetAddresses, `must have at most ${maxBudgetAddresses} email addresses`),
      ),
    }),
    'A budget for the bill of this stage: mails say when a month has cost 80 % of it, or will cost more. It counts only once the tag rate-search-stage is activated for cost allocation. Default: none.',
  ),
  tracing: withDefault(
    v.boolean(),
    'True: X-Ray traces requests through the API, the functions and the workflow, and lines of logs name the trace. It costs $5 per million traces.',
    false,
  ),
  accessLog: withDefault(
    v.boolean(),
    'True: the API writes an access log. This sets the role with which API Gateway logs, for the whole account.',
    false,
  ),
  corsOrigins: withDefault(
    v.array(text(/^https?:\/\/[^\s/]+$/, 'an origin such as https://tools.example.com')),
    'Origins of other web pages that may read results by their URLs.',
    [],
  ),
})

/** A deployment of the service: the fields of its file, with defaults filled in, and its name. */
export type Stage = Readonly<
  Omit<v.InferOutput<typeof stageFile>, '$schema' | 'publicBaseUrl'> & {
    /** Appears in stack names and in the API's path: letters, digits and hyphens. */
    readonly name: string
    readonly publicBaseUrl: string
  }
>
