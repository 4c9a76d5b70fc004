import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { DefinitionBody, StateMachine, Succeed } from 'aws-cdk-lib/aws-stepfunctions'
import { describe, expect, it } from 'vitest'
import { operations } from '../../../contract/routes.ts'
import { type AlarmFacts, alarmFacts, runbooksPage } from '../../../lib/operations/alarm-facts.ts'
import { Operations } from '../../../lib/operations/operations.ts'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { bytesScanned, endedWords, metricsNamespace, sweepMetrics } from '../../../schema/metrics.ts'
import { listedIndex, unendedIndex, webhooksIndex } from '../../../schema/tables.ts'
import { readText } from '../../templates/source-files.ts'
import type { Json, Resource } from '../../templates/templates.ts'
import {
  at,
  defaultStage,
  deployedOperations,
  dev,
  guarded,
  guardedStage,
  listOf,
  loaded,
  named,
  ofType,
  pascal,
  render,
  synthesise,
} from '../../templates/templates.ts'

const template = dev().service
const alarms = ofType(template, 'AWS::CloudWatch::Alarm')
const queue = named(template, 'AWS::SQS::Queue', 'DeadLetters')

/** The facts of all alarms. */
const allAlarms: readonly AlarmFacts[] = alarmFacts
const deployedAlarms = allAlarms.filter(({ onlyWith }) => onlyWith === undefined)
const runbooks = readText(runbooksPage)

const blocksIn = (text: string) => [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

/** Returns the commands of a text's code blocks; a continued line belongs to the line before. */
const commandsIn = (text: string) =>
  blocksIn(text)
    .flatMap((block) =>
      block
        .replaceAll(/\\\n */g, '')
        .trimEnd()
        .split('\n'),
    )
    .flatMap((line) => line.split(/; (?=\w)/))

/** Returns a metric of an alarm's expression. */
const readStat = (part: Json) => ({
  metric: `${render(at(part, 'MetricStat', 'Metric', 'Namespace'))} ${render(at(part, 'MetricStat', 'Metric', 'MetricName'))}`,
  dimensions: listOf(at(part, 'MetricStat', 'Metric', 'Dimensions')).map(
    (each) => `${render(at(each, 'Name'))}=${render(at(each, 'Value'))}`,
  ),
  period: at(part, 'MetricStat', 'Period'),
  statistic: at(part, 'MetricStat', 'Stat'),
})

const readOutputNames = (folder: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(folder, 'SearchService.template.json'), 'utf8')).Outputs)

const alarmOf = (name: string) => named(template, 'AWS::CloudWatch::Alarm', `Operations${name}`)

/** The name of an alarm's facts; a second alarm of a name has a number, because an alarm adds up ten metrics. */
const factsNameOf = ({ id }: Resource) => id.replace(/^Operations([A-Za-z]+)\d?[0-9A-F]{8}$/, '$1')

/** The functions that the alarms of a name watch together. */
const functionsWatchedBy = (name: string) =>
  alarms
    .filter((alarm) => factsNameOf(alarm) === name)
    .flatMap(metricsOf)
    .flatMap((metric) => dimensionOf(metric, 'FunctionName'))

describe('the alarms', () => {
  it('exist in the template', () => {
    const names = new Set(alarms.map(factsNameOf))
    expect([...names].sort()).toEqual(deployedAlarms.map(({ name }) => name).sort())
    expect(allAlarms.length).toBeGreaterThanOrEqual(8)
  })

  it.each(deployedAlarms)('$name describes its impact and names its runbook', ({ name, impact }) => {
    const description = alarmOf(name).properties['AlarmDescription']
    expect(description).toBe(`${impact} Runbook: ${runbooksPage}, "${name}".`)
  })

  it.each(allAlarms)('$name has a runbook that is not empty', ({ name }) => {
    const [, section = ''] = runbooks.split(`\n## ${name}\n`)
    expect((section.split('\n## ')[0] ?? '').trim().length).toBeGreaterThan(80)
  })

  it.each(allAlarms)('$name has commands to paste, and they exist', ({ name }) => {
    const commands = commandsIn(runbooks.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '')
    expect(commands).not.toEqual([])
    const words = new Set(['aws', 'npm'])
    expect(commands.filter((line) => !words.has(line.trimStart().split(' ')[0] ?? ''))).toEqual([])
    const scripts = Object.keys(JSON.parse(readText('package.json')).scripts)
    const run = commands.flatMap((line) => [...line.matchAll(/npm run (\S+)/g)].map(([, script]) => script))
    expect(run.filter((script) => !scripts.includes(script ?? ''))).toEqual([])
  })

  it('come with runbooks that need no shell function, no variable, and no output to look up', () => {
    const lines = blocksIn(runbooks).join('').split('\n')
    expect(lines.length).toBeGreaterThan(40)
    expect(lines.filter((line) => /\(\) *\{|\$\w|\$\(out /.test(line))).toEqual([])
  })

  it('come with runbooks that never search logs by a prefix, which other stages share', () => {
    const lines = runbooks.split('\n')
    expect(lines.filter((line) => /namePrefix|SOURCE|search_logs/.test(line))).toEqual([])
  })

  it('account for every runbook', () => {
    const sections = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
    expect(sections.sort()).toEqual(allAlarms.map(({ name }) => name).sort())
  })

  it.each(deployedAlarms)('$name fires as its facts say', ({ name, threshold = 1, periods = 1 }) => {
    const value = threshold === 'set by the stage' ? defaultStage.alarmBytesPerHour : threshold
    expect(alarmOf(name).properties).toMatchObject({ Threshold: value, EvaluationPeriods: periods })
  })

  it.each(deployedAlarms)(
    '$name treats missing data as healthy; one that fires below its threshold keeps its state',
    ({ name, firesBelow = false }) => {
      const { properties } = alarmOf(name)
      const expected = firesBelow ? ['LessThanThreshold', 'ignore'] : ['GreaterThanOrEqualToThreshold', 'notBreaching']
      expect([properties['ComparisonOperator'], properties['TreatMissingData']]).toEqual(expected)
    },
  )

  it.each([
    ['JobsWait', sweepMetrics.oldestWaiting, 'Maximum'],
    ['JobsLast', sweepMetrics.oldestRunning, 'Maximum'],
    ['EndsUnannounced', sweepMetrics.oldestUnannounced, 'Maximum'],
  ])('%s watches the metric written by sweeps of its stage', (name, metric, statistic) => {
    expect(alarmOf(name).properties).toMatchObject({
      Namespace: metricsNamespace,
      MetricName: metric,
      Dimensions: [{ Name: 'Stage', Value: 'dev' }],
      Statistic: statistic,
    })
  })

  it('SweeperSilent fires after a quarter of an hour without sweeps in which the stage did anything else, and not before it did', () => {
    const { properties } = alarmOf('SweeperSilent')
    const [result, ...parts] = listOf(properties['Metrics'])
    const stats = parts.map((part) => ({ id: render(at(part, 'Id')), ...readStat(part) }))
    const [sweeps, ...signs] = stats.toSorted((a, b) => Number(b.id === 'sweeps') - Number(a.id === 'sweeps'))
    expect(sweeps).toEqual({
      id: 'sweeps',
      metric: `${metricsNamespace} ${sweepMetrics.sweeps}`,
      dimensions: ['Stage=dev'],
      period: 300,
      statistic: 'Sum',
    })
    expect(at(result, 'Expression')).toBe(`sweeps + 0 * (${signs.map(({ id }) => id).join(' + ')})`)
    const invocations = ['SweepSearches', 'AnnounceLoads', 'RetryWebhooks'].map((name) => {
      const { id } = named(template, 'AWS::Lambda::Function', name)
      return ['AWS/Lambda Invocations', `FunctionName=<${id}>`, 300, 'Sum']
    })
    expect(
      signs.map(({ metric, dimensions, period, statistic }) => [metric, dimensions.join(), period, statistic]),
    ).toEqual([['AWS/ApiGateway Count', 'ApiName=rate-search-dev', 300, 'Sum'], ...invocations])
    // Three periods must have a value below the threshold, or the alarm stays as it is: as INSUFFICIENT_DATA at first.
    expect(properties).toMatchObject({ EvaluationPeriods: 3, Threshold: 1, TreatMissingData: 'ignore' })
    expect(properties['DatapointsToAlarm'] ?? 3).toBe(3)
  })

  it('SearchesFail counts its stage’s searches that ended as a fault of the service, whichever function ended them', () => {
    const metrics = metricsOf(alarmOf('SearchesFail'))
    const facts = metrics.map((metric) => `${render(at(metric, 'MetricName'))} ${dimensionOf(metric, 'Stage')}`)
    expect([...new Set(facts)]).toEqual(['SearchesEnded dev'])
    expect(metrics.flatMap((metric) => dimensionOf(metric, 'Word')).sort()).toEqual([
      'file_missing',
      'internal',
      'nothing_read',
    ])
  })

  it.each([['SearchesTimeOut', 'timeout']])(
    '%s counts its stage’s searches that ended as "%s:", whichever function ended them',
    (name, word) => {
      expect(alarmOf(name).properties).toMatchObject({
        Namespace: metricsNamespace,
        MetricName: 'SearchesEnded',
        Dimensions: [
          { Name: 'Stage', Value: 'dev' },
          { Name: 'Word', Value: word },
        ],
        Statistic: 'Sum',
        Threshold: 1,
      })
    },
  )

  it('never watch a metric that another stage also writes', () => {
    const dimensionLists = alarms
      .flatMap(({ properties }) => [properties, ...listOf(properties['Metrics'])])
      .flatMap(dimensionValuesOf)
    expect(dimensionLists.length).toBeGreaterThan(alarms.length)
    const references = dimensionLists.filter((dimensions) =>
      dimensions.some((value) => /^<|^dev$|^rate-search-dev$/.test(value)),
    )
    expect(references).toEqual(dimensionLists)
  })

  it('watch every function except not-found', () => {
    const expected = deployedOperations
      .filter((operation) => operation !== 'not-found')
      .map((operation) => `<${named(template, 'AWS::Lambda::Function', pascal(operation)).id}>`)
    for (const kind of ['Throttled', 'Fail'])
      expect([...functionsWatchedBy(`Calls${kind}`), ...functionsWatchedBy(`Functions${kind}`)].sort()).toEqual(
        expected.sort(),
      )
  })

  it('separate client calls from background work', () => {
    const expected = [...operations, 'get-page', 'serve-assistants'].map(
      (operation) => `<${named(template, 'AWS::Lambda::Function', pascal(operation)).id}>`,
    )
    expect([...functionsWatchedBy('CallsFail')].sort()).toEqual(expected.sort())
  })

  it('add up each metric once, over the same period', () => {
    for (const alarm of alarms.filter(({ properties }) => properties['Metrics'] !== undefined)) {
      const metrics = listOf(alarm.properties['Metrics'])
      const [sum, ...parts] = metrics
      const terms = render(at(sum, 'Expression')).match(/[a-z]+\d*/g) ?? []
      expect(terms.toSorted()).toEqual(parts.map((part) => render(at(part, 'Id'))).sort())
      expect(new Set(metricsOf(alarm).map((metric) => JSON.stringify(metric))).size).toBe(parts.length)
      for (const part of parts) expect(at(part, 'MetricStat')).toMatchObject({ Period: 300, Stat: 'Sum' })
    }
  })

  it('report executions that failed, timed out or were aborted', () => {
    const names = metricsOf(alarmOf('SearchesBreak')).map((metric) => render(at(metric, 'MetricName')))
    expect(names.sort()).toEqual(['ExecutionsAborted', 'ExecutionsFailed', 'ExecutionsTimedOut'])
  })

  it('report throttled requests to the tables of searches, and writes to their indexes, but no writes of loads', () => {
    const dimensions = metricsOf(alarmOf('TablesThrottled')).map((metric) => [
      render(at(metric, 'MetricName')),
      ...listOf(at(metric, 'Dimensions')).map((each) =>
        render(at(each, 'Value')).replace(/^<Tables(\w+)[0-9A-F]{8}>$/, '$1'),
      ),
    ])
    const tables = ['Jobs', 'Access', 'FeeSchedules', 'Contents', 'Webhooks']
    expect(dimensions.map((values) => values.toSorted().join(' ')).sort()).toEqual(
      [
        ...tables.map((table) => [table, 'ReadThrottleEvents']),
        ...['Jobs', 'Webhooks'].map((table) => [table, 'WriteThrottleEvents']),
        ...[unendedIndex, listedIndex].map(({ name }) => ['Jobs', name, 'WriteThrottleEvents']),
        ['Webhooks', webhooksIndex.name, 'WriteThrottleEvents'],
      ]
        .map((values) => values.toSorted().join(' '))
        .sort(),
    )
  })

  it('report what Step Functions throttles in the workflow of searches', () => {
    const { id } = named(template, 'AWS::StepFunctions::StateMachine', 'WorkflowMachine')
    expect(alarmOf('WorkflowThrottled').properties).toMatchObject({
      Namespace: 'AWS/States',
      MetricName: 'ExecutionThrottled',
      Dimensions: [{ Name: 'StateMachineArn', Value: { Ref: id } }],
    })
  })

  it('report what AWS Batch says of blocked loads, of this stage only', () => {
    const { service } = loaded()
    const blocked = named(service, 'AWS::SQS::Queue', 'LoadsBlockedEvents')
    const rule = named(service, 'AWS::Events::Rule', 'LoadsBlockedRule')
    const jobQueues = ofType(service, 'AWS::Batch::JobQueue').map(({ id }) => `<${id}.JobQueueArn>`)
    expect(jobQueues).toHaveLength(2)
    const pattern = rule.properties['EventPattern']
    expect(pattern).toMatchObject({ source: ['aws.batch'], 'detail-type': ['Batch Job Queue Blocked'] })
    expect(
      listOf(at(pattern, 'detail', 'jobQueue'))
        .map(render)
        .sort(),
    ).toEqual(jobQueues.sort())
    expect(listOf(rule.properties['Targets']).map((target) => render(at(target, 'Arn')))).toEqual([
      `<${blocked.id}.Arn>`,
    ])
    expect(named(service, 'AWS::CloudWatch::Alarm', 'OperationsLoadsBlocked').properties).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [blocked.id, 'QueueName'] } }],
      Threshold: 1,
    })
  })

  it('report messages in the dead-letter queue', () => {
    expect(alarmOf('EventsLost').properties).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue.id, 'QueueName'] } }],
    })
  })

  it('watch the bytes that queries of the stage read in an hour, in the metric that its functions write', () => {
    const { properties } = alarmOf('BytesScanned')
    expect(properties).toMatchObject({
      Namespace: metricsNamespace,
      MetricName: bytesScanned,
      Dimensions: [{ Name: 'Stage', Value: 'dev' }],
      Statistic: 'Sum',
      Period: 3600,
      EvaluationPeriods: 1,
      Threshold: defaultStage.alarmBytesPerHour,
    })
    expect(defaultStage.alarmBytesPerHour).toBe(10 * defaultStage.dataLimitBytes)
  })

  it('add up at most ten metrics each, and omit no function', () => {
    const stack = new Stack()
    const calls = Array.from(
      { length: 23 },
      (_, index) =>
        new LambdaFunction(stack, `Call${index}`, {
          runtime: Runtime.NODEJS_24_X,
          handler: 'index.handler',
          code: Code.fromInline('none'),
          logGroup: LogGroup.fromLogGroupName(stack, `Logs${index}`, `logs-${index}`),
        }),
    )
    const stateMachine = new StateMachine(stack, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(new Succeed(stack, 'Done')),
    })
    const restApi = new RestApi(stack, 'Api')
    restApi.root.addMethod('GET')
    new Operations(stack, 'Operations', {
      stage: requireStage('dev'),
      restApi,
      calls,
      functions: [],
      timers: [],
      refreshes: [],
      stateMachine,
      deadLetters: new Queue(stack, 'Queue'),
      tableThrottles: [],
      loadFailures: [],
      blockedLoads: undefined,
      loads: [],
    })
    const alarmResources = Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')
    const failing = Object.entries(alarmResources).filter(([id]) => /^OperationsCallsFail\d?[0-9A-F]{8}$/.test(id))
    const summed = failing.map(([, { Properties }]) =>
      listOf(Properties.Metrics).flatMap((part) => dimensionOf(at(part, 'MetricStat', 'Metric'), 'FunctionName')),
    )
    expect(summed.map((names) => names.length).sort()).toEqual([10, 10, 3])
    expect(new Set(summed.flat()).size).toBe(calls.length)
  })

  it('read as many metrics as docs/costs.md pays for', () => {
    const count = (resources: readonly Resource[]) =>
      resources.reduce((sum, alarm) => sum + Math.max(metricsOf(alarm).length, 1), 0)
    const more = count(ofType(loaded().service, 'AWS::CloudWatch::Alarm')) - count(alarms)
    const [label, ...prices] = [
      `alarms: ${count(alarms)} metrics, and ${more} more with loads on AWS`,
      ...[count(alarms), count(alarms) + more].map((metrics) => (metrics * 0.1).toFixed(2)),
    ]
    expect(readText('docs/costs.md')).toContain(`| ${label} | | ${prices.join(' | ')} |`)
  })

  it('appear on one dashboard, together with the outcomes of the stage’s searches', () => {
    const [dashboard] = ofType(template, 'AWS::CloudWatch::Dashboard')
    const body = render(dashboard?.properties['DashboardBody'])
    for (const { id } of alarms) expect(body).toContain(`<${id}.Arn>`)
    for (const word of endedWords) expect(body).toContain(`"SearchesEnded","Stage","dev","Word","${word}"`)
  })
})

describe('the dashboard', () => {
  const bodyOf = (resources: readonly Resource[]) => {
    const [dashboard] = ofType(resources, 'AWS::CloudWatch::Dashboard')
    return render(dashboard?.properties['DashboardBody'])
  }

  it('shows requests, their latency, the bytes that searches scan, and refusals by limits', () => {
    const body = bodyOf(template)
    for (const metric of ['Count', '4XXError', '5XXError', 'Latency'])
      expect(body).toContain(`"AWS/ApiGateway","${metric}","ApiName","rate-search-dev"`)
    expect(body).toContain(`"${metricsNamespace}","${bytesScanned}","Stage","dev"`)
    for (const operation of operations)
      expect(body).toContain(`SOURCE '<${named(template, 'AWS::Logs::LogGroup', `${pascal(operation)}Logs`).id}>'`)
    expect(body).toContain('status = 429')
  })

  it('shows loads on AWS if the stage has them', () => {
    expect(bodyOf(template)).not.toContain('Loads on AWS')
    const body = bodyOf(loaded().service)
    for (const metric of ['ExecutionsStarted', 'ExecutionsSucceeded', 'ExecutionsFailed', 'InvocationDroppedCount'])
      expect(body).toContain(`"${metric}"`)
  })

  it('appears in the outputs of the stack, with the alarm that operators set off by hand', () => {
    const { Outputs } = JSON.parse(readFileSync(join(dev().folder, 'SearchService.template.json'), 'utf8'))
    expect(render(Outputs.DashboardName.Value)).toMatch(/^<OperationsDashboard/)
    expect(render(Outputs.SearchesFailAlarm.Value)).toBe(`<${alarmOf('SearchesFail').id}>`)
  })
})

describe('a stage without alarms', () => {
  const { folder, service } = synthesise(requireStage('dev'))

  it('deploys neither alarms nor a dashboard, which cost most of an idle stage', () => {
    expect(service.filter(({ type }) => type.startsWith('AWS::CloudWatch::'))).toEqual([])
  })

  it('names neither in its outputs', () => {
    const names = readOutputNames(folder)
    expect(names).toContain('PublicBaseUrl')
    expect(names.filter((name) => /Dashboard|Alarm/.test(name))).toEqual([])
  })
})

describe('the recipient of alarms', () => {
  it('does not exist if no address is set', () => {
    expect(template.some(({ type }) => type.startsWith('AWS::SNS::'))).toBe(false)
    for (const { properties } of alarms) expect(properties['AlarmActions']).toBeUndefined()
  })

  const { service } = guarded()
  const guardedAlarms = ofType(service, 'AWS::CloudWatch::Alarm')
  const alarmProperties = guardedAlarms.map(({ properties }) => properties)
  const [topic, ...others] = ofType(service, 'AWS::SNS::Topic')
  const [address, otherAddress, pager] = guardedStage.alarmTargets

  it('comprises all addresses and topics, on alarm and on recovery', () => {
    expect(others).toEqual([])
    const subscribed = ofType(service, 'AWS::SNS::Subscription').map(({ properties }) => properties)
    expect(subscribed).toEqual(
      [address, otherAddress].map((Endpoint) => ({ Protocol: 'email', Endpoint, TopicArn: { Ref: topic?.id } })),
    )
    const actions = [{ Ref: topic?.id }, pager]
    const expected = allAlarms.filter(({ onlyWith }) => onlyWith !== 'an own relation')
    expect(new Set(guardedAlarms.map(factsNameOf))).toEqual(new Set(expected.map(({ name }) => name)))
    for (const properties of alarmProperties)
      expect(properties).toMatchObject({ AlarmActions: actions, OKActions: actions })
  })

  it('can be reached by every alarm of this account, and by no other account', () => {
    const policies = ofType(service, 'AWS::SNS::TopicPolicy').map(({ properties }) => properties)
    for (const properties of alarmProperties) {
      const [target] = listOf(properties['AlarmActions'])
      const about = policies.filter((policy) => listOf(policy['Topics']).map(render).includes(render(target)))
      const allowed = about
        .flatMap((policy) => listOf(at(policy['PolicyDocument'], 'Statement')))
        .filter((statement) => at(statement, 'Effect') === 'Allow')
      expect(allowed).toEqual([
        {
          Sid: expect.any(String),
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: target,
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ])
    }
  })

  it('works without a key, whose policy could silence all alarms', () => {
    expect(topic?.properties['KmsMasterKeyId']).toBeUndefined()
  })

  it('excludes a topic of the stage if the operator names only topics', () => {
    const stage = { ...defaultStage, alarmTargets: [pager ?? '', pager ?? ''] }
    const resources = synthesise(stage).service
    expect(resources.some(({ type }) => type.startsWith('AWS::SNS::'))).toBe(false)
    for (const { properties } of ofType(resources, 'AWS::CloudWatch::Alarm'))
      expect(properties['AlarmActions']).toEqual([pager])
  })
})

/** Returns the metrics of an alarm that adds up several. */
const metricsOf = ({ properties }: Resource) =>
  listOf(properties['Metrics']).flatMap((part) => listOf(at(part, 'MetricStat', 'Metric')))

/** Returns the dimension values of a metric, or of a term of an alarm's sum. */
const dimensionValuesOf = (part: Json): readonly (readonly string[])[] =>
  [part, at(part, 'MetricStat', 'Metric')].flatMap((metric) => {
    const dimensions = at(metric, 'Dimensions')
    return at(metric, 'Namespace') === undefined ? [] : [listOf(dimensions).map((each) => render(at(each, 'Value')))]
  })

const dimensionOf = (metric: Parameters<typeof at>[0], name: string) =>
  listOf(at(metric, 'Dimensions'))
    .filter((dimension) => at(dimension, 'Name') === name)
    .map((dimension) => render(at(dimension, 'Value')))
