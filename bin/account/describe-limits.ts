import { readQuota } from '../../adapters/service-quotas.ts'
import type { Stage } from '../../lib/stage/stage.ts'

/** Executions beside one for each running search: polls, steps, timers. */
const otherExecutions = 50

/** Executions with which a stage works whose searches hold none while their queries run: the quota of new accounts. */
const fewExecutions = 10

/**
 * Describes the quotas of the account that are too small for a stage, one line each; none if all suffice. The stage is
 * deployed nevertheless: quotas may be raised at any time (docs/deploying.md, "Before the first deploy").
 */
export async function describeLimits(
  { limits, runningHours, loads, fewFunctions }: Pick<Stage, 'limits' | 'runningHours' | 'loads' | 'fewFunctions'>,
  read = readQuota,
): Promise<readonly string[]> {
  const [concurrency, minutes, spot, onDemand] = await Promise.all([
    read('lambdaConcurrency'),
    read('athenaQueryMinutes'),
    loads?.spot ? read('fargateSpot') : 0,
    loads && read('fargateOnDemand'),
  ])
  const executions = fewFunctions ? fewExecutions : limits.searches + otherExecutions
  const isLow = concurrency !== undefined && concurrency < otherExecutions && !fewFunctions
  const advice = isLow ? '; set "fewFunctions": true in the stage file until the quota is raised' : ''
  const vcpus = (loads?.maxWorkers ?? 0) * (loads?.vcpus ?? 0)
  const fargate = spot === undefined || onDemand === undefined ? undefined : spot + onDemand
  return [
    ...judge(
      'Lambda, Concurrent executions',
      concurrency,
      executions,
      `searches of one organization use up the rest${advice}`,
    ),
    ...judge(
      'Athena, DML query timeout',
      minutes,
      runningHours * 60,
      `Athena ends queries before runningHours ${runningHours}`,
    ),
    ...(loads === undefined
      ? []
      : judge('Fargate, vCPUs (Spot and On-Demand)', fargate, vcpus, 'workers of loads wait')),
    ...(loads === undefined
      ? []
      : judge('Fargate, On-Demand vCPUs', onDemand, loads.vcpus, 'no load can plan or finish')),
  ]
}

function judge(quota: string, value: number | undefined, wanted: number, effect: string): readonly string[] {
  if (value === undefined)
    return [`the quota "${quota}" is unknown (servicequotas:GetServiceQuota); the stage uses up to ${wanted}`]
  return value >= wanted ? [] : [`the quota "${quota}" is ${value}, the stage uses up to ${wanted}: ${effect}`]
}
