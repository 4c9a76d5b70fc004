import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { buildApp } from '../templates/build-app.ts'
import { loadedStage } from '../templates/templates.ts'

/**
 * Accepted findings of cdk-nag, each with its reason. An unlisted finding fails the test, and so does an unused entry.
 */
const explained: readonly (readonly [rule: RegExp, where: RegExp, reason: string])[] = [
  [
    /^AwsSolutions-S1$/,
    /./,
    'Results are read only with URLs that a logged status request signed. S3 access logs are best effort and cost storage; operators can enable CloudTrail data events.',
  ],
  [
    /^AwsSolutions-APIG2$/,
    /RestApi/,
    'The handler validates the request and reports every fault at once; the gateway would report only one, in another format.',
  ],
  [
    /^(AwsSolutions-APIG[16]|Serverless-APIGWAccessLogging)$/,
    /RestApi/,
    'The gateway logs with one role for the whole account, so access logs are a stage setting (accessLog). Each function logs each request.',
  ],
  [
    /^AwsSolutions-APIG3$/,
    /RestApi/,
    'A web ACL is the operator’s choice; keys and stage throttling work without one.',
  ],
  [
    /^(AwsSolutions-APIG4|AwsSolutions-COG4)$/,
    /RestApi/,
    'Functions check the key in the same consistent read as the job: a poll costs one round trip, and a revoked key is refused from the next request on.',
  ],
  [
    /^AwsSolutions-IAM5\[.*Results.*\/results\/\*\]$/,
    /(StartQuery|PublishResults|DeleteSearch|SignDownloads|GetRows)/,
    'The names of objects below results/ are only known when a query runs.',
  ],
  [
    /^AwsSolutions-IAM5\[.*Rates.*\/provider(s|_directory)\/\*\]$/,
    /ListProviders/,
    'A file of NPPES has the id of its month, which is only known when it is loaded.',
  ],
  [
    /^AwsSolutions-IAM5\[.*:table\/.*\/\*\]$/,
    /StartQuery/,
    'The tables under the relation rates depend on the warehouse, and may change with a load.',
  ],
  [
    /^AwsSolutions-IAM5\[.*s3:::.*\/\*\]$/,
    /(StartQuery|PublishResults)/,
    'Athena reads rates and writes manifests with its caller’s permissions, in objects that it names itself.',
  ],
  [/^AwsSolutions-IAM5\[.*:execution:.*\]$/, /SweepSearches/, 'Executions of this state machine; each job has one.'],
  [
    /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    /Workflow/,
    'Every version of four functions: a running execution keeps calling the versions it started with.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::\*\]$/,
    /Workflow/,
    'The actions that manage log delivery have no resource-level permissions (Step Functions developer guide, "Logging").',
  ],
  [
    /^AwsSolutions-SF1$/,
    /Workflow/,
    'Only errors are logged: the history of every execution is kept for 90 days anyway, and logging each step would cost more than the steps.',
  ],
  [
    /^(AwsSolutions-SF2|Serverless-(APIGWXrayEnabled|LambdaTracing|StepFunctionStateMachineXray))$/,
    /./,
    'Tracing is a stage setting (tracing), because it gives every role a right on "*" and costs more than the requests. Without it, job and request ids in the logs correlate the same events.',
  ],
  [
    /^AwsSolutions-IAM5\[.*s3:::cdk-.*\/\*\.mjs\]$/,
    /Loads\/(Plan|Work|Finish)\/Role/,
    'The names of assets hold their hashes: a load that runs during an upgrade still fetches its code of before.',
  ],
  [
    /^AwsSolutions-IAM5\[.*s3:::.*Rates.*\/\*\]$/,
    /Loads\/(Work|Finish)/,
    'Files get their names when a load runs. A step creates files only in the folders of its tables, and replaces none.',
  ],
  [
    /^AwsSolutions-VPC7$/,
    /Loads\/Network/,
    'Nothing can connect to this network. The log of each step says which addresses it fetched, which a flow log would not.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::arn:.*:batch:.*\]$/,
    /Loads\/Workflow/,
    'Ids of jobs are known when they run, and a definition has a new revision with every upgrade.',
  ],
  [/^Serverless-SQSRedrivePolicy$/, /DeadLetters/, 'This is the dead-letter queue itself.'],
  [
    /^(AwsSolutions-SQS3|Serverless-SQSRedrivePolicy|Serverless-EventBusDLQ)$/,
    /Loads\/Blocked/,
    'An alarm watches these events, and operators read them; nothing takes them out, so none can fail.',
  ],
  [
    /^Serverless-LambdaDLQ$/,
    /^(?!.*RecordFailure)/,
    'These are called synchronously, or (the sweeper) again a minute later.',
  ],
  [
    /^Serverless-LambdaAsyncFailureDestination$/,
    /(SweepSearches|AnnounceLoads|RetryWebhooks|RefreshFeeSchedules)\/EventInvokeConfig/,
    'The next call of the timer makes up for one that failed, and a queue of those would hide the events that are lost.',
  ],
  [
    /^Serverless-EventBusDLQ$/,
    /Sweeper|LoadAnnouncer|Webhooks\/EveryMinute/,
    'The next call of the timer makes up for a missed one.',
  ],
]

interface Finding {
  readonly rule: string
  readonly path: string
}

const reportSchema = v.object({
  pluginReports: v.array(
    v.object({
      violations: v.optional(
        v.array(
          v.object({ ruleName: v.string(), violatingConstructs: v.array(v.object({ constructPath: v.string() })) }),
        ),
        [],
      ),
    }),
  ),
})

let findings: readonly Finding[]

beforeAll(() => {
  const outdir = mkdtempSync(join(tmpdir(), 'nag-'))
  const app = buildApp(loadedStage, { outdir })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  // Synthesis fails on findings, but writes the report first; the report is what this test checks.
  expect(() => app.synth()).toThrow('AwsSolutions')
  const { pluginReports } = v.parse(
    reportSchema,
    JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')),
  )
  findings = pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => ({ rule: ruleName, path: constructPath })),
    ),
  )
})

test('every finding of cdk-nag is explained', () => {
  const unexplained = findings.filter(
    ({ rule, path }) => !explained.some(([rules, paths]) => rules.test(rule) && paths.test(path)),
  )
  expect(unexplained).toEqual([])
})

test('every explanation matches a finding', () => {
  const idle = explained.filter(
    ([rules, paths]) => !findings.some(({ rule, path }) => rules.test(rule) && paths.test(path)),
  )
  expect(idle.map(([rules]) => rules.source)).toEqual([])
})
