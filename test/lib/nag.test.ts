import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { requireStage } from '../../lib/stage-files.ts'
import { buildApp } from '../../lib/synthesise.ts'

/** What cdk-nag finds and we keep, with the reason. A finding that is not here fails, and so does a reason without one. */
const explained: readonly (readonly [rule: RegExp, where: RegExp, reason: string])[] = [
  [
    /^AwsSolutions-S1$/,
    /./,
    'Who reads a result holds a URL that one status request signed; access logs of S3 are best effort and cost storage. CloudTrail data events can be switched on by the operator.',
  ],
  [
    /^AwsSolutions-APIG2$/,
    /RestApi/,
    'The handler reads the request and names every fault at once; the gateway would name one, in its own words.',
  ],
  [
    /^(AwsSolutions-APIG[16]|Serverless-APIGWAccessLogging)$/,
    /RestApi/,
    'The gateway logs with one role for the whole account, so access logs are a stage setting (accessLog). Each function logs each request.',
  ],
  [
    /^AwsSolutions-APIG3$/,
    /RestApi/,
    'A web ACL is the operator’s to choose; keys and stage throttling are there without one.',
  ],
  [
    /^(AwsSolutions-APIG4|AwsSolutions-COG4)$/,
    /RestApi/,
    'Functions check the key in the same consistent read as the job: a poll costs one round trip, and a revoked key is refused by the next request.',
  ],
  [
    /^AwsSolutions-IAM5\[.*Results.*\/results\/\*\]$/,
    /(StartQuery|PublishResults|DeleteSearch|SignDownloads)/,
    'Objects below results/ have names that are made when a query runs.',
  ],
  [
    /^AwsSolutions-IAM5\[.*:table\/.*\/\*\]$/,
    /StartQuery/,
    'Which tables are under the relation rates is the warehouse’s affair, and may change with a load.',
  ],
  [
    /^AwsSolutions-IAM5\[.*s3:::.*\/\*\]$/,
    /(StartQuery|PublishResults)/,
    'Athena reads rates and keeps manifests with its caller’s rights, in objects whose names it makes itself.',
  ],
  [
    /^AwsSolutions-IAM5\[.*:execution:.*\]$/,
    /SweepSearches/,
    'Executions of this one state machine; each job has one.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    /Workflow/,
    'Every version of four functions: an execution that runs ends on the versions that it began with.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::\*\]$/,
    /Workflow/,
    'The actions that manage log delivery have no resource-level permissions (Step Functions developer guide, "Logging").',
  ],
  [
    /^AwsSolutions-SF1$/,
    /Workflow/,
    'Errors alone are logged: the history of every execution is kept for 90 days anyway, and logging each step would cost more than the steps.',
  ],
  [
    /^(AwsSolutions-SF2|Serverless-(APIGWXrayEnabled|LambdaTracing|StepFunctionStateMachineXray))$/,
    /./,
    'X-Ray would give every role a right on "*"; job and request ids in the logs join the same events.',
  ],
  [/^Serverless-SQSRedrivePolicy$/, /DeadLetters/, 'This is where letters end.'],
  [
    /^Serverless-LambdaDLQ$/,
    /^(?!.*RecordFailure)/,
    'These are called by somebody who waits for the answer, or (the sweeper) again a minute later.',
  ],
  [/^Serverless-EventBusDLQ$/, /Sweeper/, 'A sweep that is missed is made up for by the next.'],
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
  const app = buildApp(requireStage('dev'), { outdir })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  // Synthesis fails on what the rules find; the report, which it writes first, is what is judged here.
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

test('cdk-nag finds nothing in the stacks that is not explained', () => {
  const unexplained = findings.filter(
    ({ rule, path }) => !explained.some(([rules, paths]) => rules.test(rule) && paths.test(path)),
  )
  expect(unexplained).toEqual([])
})

test('every explanation still explains something', () => {
  const idle = explained.filter(
    ([rules, paths]) => !findings.some(({ rule, path }) => rules.test(rule) && paths.test(path)),
  )
  expect(idle.map(([rules]) => rules.source)).toEqual([])
})
