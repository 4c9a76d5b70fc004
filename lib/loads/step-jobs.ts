import { Duration } from 'aws-cdk-lib'
import { Role } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { LoadStep } from '../../schema/load-step.ts'
import type { LoadsSettings } from '../stage/loads-settings.ts'
import type { WarehouseDescription } from '../stage/warehouse-description.ts'
import type { Tables } from '../storage/tables.ts'
import { grantPull } from './image-rights.ts'
import { addLoadLog } from './load-log.ts'
import { StepCode } from './step-code.ts'
import { StepJob, taskPrincipal } from './step-job.ts'
import { describeStepUses } from './step-uses.ts'

export interface StepJobsProps {
  /** Name of the stage, which the steps write into their log. */
  readonly stageName: string
  /** Tables of the service, in which the steps record their progress and the catalogue. */
  readonly tables: Tables
  /** Warehouse that the steps write to. */
  readonly warehouse: Pick<WarehouseDescription, 'dataLocations' | 'keyArns'>
  /** Sizes and image of the containers, and whether `finish` cleans the warehouse. */
  readonly settings: LoadsSettings
}

/** Longest attempt of each step: a worker takes about a day for a file of 100 GB. */
const timeouts: Readonly<Record<LoadStep, Duration>> = {
  plan: Duration.days(1),
  work: Duration.days(13),
  finish: Duration.days(1),
}

/** Adds the job of each step, and what the jobs share: code, log, execution role and variables. */
export function addStepJobs(
  scope: Construct,
  { stageName, tables, warehouse, settings }: StepJobsProps,
): Readonly<Record<LoadStep, StepJob>> {
  const code = new StepCode(scope, 'Code')
  const logGroup = addLoadLog(scope)
  // Starts containers and writes their logs; the program in a container cannot use it.
  const executionRole = new Role(scope, 'ExecutionRole', { assumedBy: taskPrincipal() })
  grantPull(executionRole, settings.image)
  const variables = {
    // The local service has no location; it passes the folder of its warehouse when it runs a step.
    RATES_LOCATION: warehouse.dataLocations[0] ?? '',
    STAGE_NAME: stageName,
    ...(settings.clean && { CLEAN: String(settings.keepMonths) }),
  }
  const uses = describeStepUses(tables, warehouse, settings.clean)
  const addJob = (id: string, step: LoadStep) =>
    new StepJob(scope, id, {
      step,
      code,
      settings,
      uses: uses[step],
      executionRole,
      logGroup,
      timeout: timeouts[step],
      variables,
    })
  return { plan: addJob('Plan', 'plan'), work: addJob('Work', 'work'), finish: addJob('Finish', 'finish') }
}
