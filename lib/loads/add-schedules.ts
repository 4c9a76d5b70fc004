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
 * Starts loads by the clock. The id of the scheduler's invocation becomes the id of the load.
 *
 * @returns how many loads could not be started, if any are to be
 */
export function addSchedules(
  scope: Construct,
  schedules: readonly LoadSchedule[],
  stateMachine: StateMachine,
): readonly Metric[] {
  if (schedules.length === 0) return []
  const all = new Construct(scope, 'Schedules')
  // Kept by default, and under a fixed name, with which the next deploy would collide.
  const scheduleGroup = new ScheduleGroup(all, 'Group', { removalPolicy: RemovalPolicy.DESTROY })
  for (const [index, { cron, timezone, workers, order }] of schedules.entries()) {
    const input = { loadId: ContextAttribute.executionId, workers, order }
    const made = new Schedule(all, `Schedule${index + 1}`, {
      scheduleGroup,
      schedule: ScheduleExpression.expression(`cron(${cron})`, TimeZone.of(timezone)),
      target: new StepFunctionsStartExecution(stateMachine, {
        input: ScheduleTargetInput.fromObject(input),
        maxEventAge: Duration.hours(6),
        retryAttempts: 20,
      }),
    })
    // A schedule only has the group's name, which says nothing of their order.
    made.node.addDependency(scheduleGroup)
  }
  return [scheduleGroup.metricDropped()]
}
