import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Chain, TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions'
import {
  Choice,
  Condition,
  DefinitionBody,
  Errors,
  Fail,
  JitterType,
  JsonPath,
  LogLevel,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions'
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Construct } from 'constructs'
import type { NextStep } from '../core/workflow-step.ts'
import type { Operation } from '../lambdas/environment.ts'
import type { ServiceFunction } from './service-function.ts'

/** A function that runs as a step: by the version that is deployed now, while older ones are still called. */
type StepFunction = Pick<ServiceFunction<Operation>, 'functionArn' | 'pinned'>

export interface WorkflowProps {
  readonly stageName: string
  readonly startQuery: StepFunction
  readonly awaitQuery: StepFunction
  readonly publishResults: StepFunction
  readonly recordFailure: StepFunction
  /** What a missed fee schedule runs. @default - nothing: no step asks for it */
  readonly refreshFeeSchedules?: StepFunction | undefined
  /** How long a job may take, waits included. */
  readonly longest: Duration
}

/** What an execution gets beyond its job's limits: the sweeper ends the job in words that help, a time-out does not. */
const sweeperFirst = Duration.minutes(10)

/** Errors of Lambda itself: the step may or may not have run, and every step is safe to repeat. */
const lambdaFaults = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
]

/**
 * Drives a job from queued to its end. The state is `{orgId, jobId, run}` and, under `step`, what the last step
 * returned; each step says what comes next. What no step expected is caught and recorded once.
 */
export class Workflow extends Construct {
  readonly stateMachine: StateMachine

  constructor(scope: Construct, id: string, props: WorkflowProps) {
    super(scope, id)
    const startQuery = this.makeStep('StartQuery', props.startQuery)
    const awaitQuery = this.makeStep('AwaitQuery', props.awaitQuery)
    const publishResults = this.makeStep('PublishResults', props.publishResults)
    const backOff = new Wait(this, 'BackOff', { time: WaitTime.secondsPath('$.step.waitSeconds') }).next(startQuery)
    const whatNext = new Choice(this, 'WhatNext')
      .when(isNext('await'), awaitQuery)
      .when(isNext('publish'), publishResults)
      .when(isNext('retry'), backOff)
    const { refreshFeeSchedules } = props
    if (refreshFeeSchedules !== undefined)
      whatNext.when(isNext('refresh'), this.makeRefresh(refreshFeeSchedules, startQuery))
    whatNext.otherwise(new Succeed(this, 'Done'))

    const recordFailure = this.makeStep('RecordFailure', props.recordFailure, JsonPath.DISCARD)
    recordFailure.next(
      new Fail(this, 'Broken', { error: 'SearchBroke', cause: 'A step met an error that nobody expected.' }),
    )
    for (const step of [startQuery, awaitQuery, publishResults]) {
      step.addCatch(recordFailure, { errors: [Errors.ALL], resultPath: '$.error' })
      step.next(whatNext)
    }

    this.stateMachine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromChainable(startQuery),
      timeout: props.longest.plus(sweeperFirst),
      logs: {
        level: LogLevel.ERROR,
        destination: new LogGroup(this, 'Logs', {
          // Under another prefix each group is added to a resource policy of the account, which holds 5,120 characters.
          // Source: CloudWatch Logs user guide, "Enable logging from AWS services", log group resource policy size limit.
          logGroupName: `/aws/vendedlogs/states/rate-search-${props.stageName}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    })
    // Of the versions that an upgrade replaced too: a running execution calls those that it began with.
    const called = [props.startQuery, props.awaitQuery, props.publishResults, props.recordFailure, refreshFeeSchedules]
    const steps = called.filter((step) => step !== undefined)
    const resources = steps.map(({ functionArn }) => `${functionArn}:*`)
    this.stateMachine.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }))
  }

  /** A refresh that fails is no failure of the job: it is looked up in the catalogue as that is. */
  private makeRefresh({ pinned }: StepFunction, startQuery: LambdaInvoke): Chain {
    const refresh = new LambdaInvoke(this, 'RefreshFeeSchedules', {
      lambdaFunction: pinned,
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: JsonPath.DISCARD,
    })
    refresh.addCatch(startQuery, { errors: [Errors.ALL], resultPath: JsonPath.DISCARD })
    return refresh.next(startQuery)
  }

  private makeStep(id: string, step: StepFunction, resultPath = '$.step'): LambdaInvoke {
    const task = new LambdaInvoke(this, id, {
      lambdaFunction: step.pinned,
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath,
    })
    return addRetries(task)
  }
}

/** Throttling is waited out until the job's limits, never failed for; all else is tried a few times more. */
function addRetries<Task extends TaskStateBase>(task: Task): Task {
  const backoff = { backoffRate: 2, jitterStrategy: JitterType.FULL }
  task.addRetry({
    ...backoff,
    errors: ['Lambda.TooManyRequestsException'],
    interval: Duration.seconds(1),
    maxDelay: Duration.seconds(30),
    maxAttempts: 25_000,
  })
  task.addRetry({
    ...backoff,
    errors: lambdaFaults,
    interval: Duration.seconds(2),
    maxDelay: Duration.seconds(60),
    maxAttempts: 8,
  })
  task.addRetry({ ...backoff, errors: [Errors.ALL], interval: Duration.seconds(2), maxAttempts: 3 })
  return task
}

const isNext = (next: NextStep['next']) => Condition.stringEquals('$.step.next', next)
