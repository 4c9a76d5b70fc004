import { Duration, RemovalPolicy, TimeZone } from 'aws-cdk-lib'
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler'
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { LoadSchedule } from '../stage/loads-settings.ts'

/**
 * Adds the schedules that start loads. The id of the scheduler's invocation becomes the id of the load.
 *
 * @returns a metric that counts loads which could not be started; none without schedules
 */
export function addSchedules(
  scope: Construct,
  schedules: readonly LoadSchedule[],
  stateMachine: StateMachine,
): readonly Metric[] {
  if (schedules.length === 0) return []
  const parent = new Construct(scope, 'Schedules')
  // By default a destroyed stage keeps its group under a fixed name, and the next deploy would collide with it.
  const scheduleGroup = new ScheduleGroup(parent, 'Group', { removalPolicy: RemovalPolicy.DESTROY })
  for (const [index, { cron, timezone, workers, order }] of schedules.entries()) {
    const input = { loadId: ContextAttribute.executionId, workers, order }
    const schedule = new Schedule(parent, `Schedule${index + 1}`, {
      scheduleGroup,
      schedule: ScheduleExpression.expression(`cron(${cron})`, TimeZone.of(timezone)),
      target: new StepFunctionsStartExecution(stateMachine, {
        input: ScheduleTargetInput.fromObject(input),
        maxEventAge: Duration.hours(6),
        retryAttempts: 20,
      }),
    })
    // The schedule refers to its group by name, so CloudFormation would not create the group first.
    schedule.node.addDependency(scheduleGroup)
  }
  return [scheduleGroup.metricDropped()]
}
