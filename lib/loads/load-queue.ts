import { Duration } from 'aws-cdk-lib'
import {
  FargateComputeEnvironment,
  JobQueue,
  JobStateTimeLimitActionsReason as WaitReason,
} from 'aws-cdk-lib/aws-batch'
import { SubnetType } from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'
import type { LoadsSettings } from '../stage/loads-settings.ts'
import type { LoadNetwork } from './load-network.ts'

/** Number of loads whose `plan` or `finish` can run at the same time. */
const loadsAtOnce = 8

/** Longest wait of a job for capacity. Batch then gives it up, so that its load fails and an alarm fires. */
const maxWaits = { control: Duration.hours(1), work: Duration.days(1) } as const

/**
 * Compute for the jobs of loads. Workers run on Fargate Spot first, unless the stage turns Spot off, then on Fargate.
 * `plan` and `finish` have separate compute, so that they never wait for the workers of another load. It costs nothing
 * while no job runs.
 */
export class LoadQueue extends Construct {
  readonly work: JobQueue
  readonly control: JobQueue

  constructor(
    scope: Construct,
    id: string,
    { network, settings }: { readonly network: LoadNetwork; readonly settings: LoadsSettings },
  ) {
    super(scope, id)
    const { vpc, securityGroup } = network
    const makeCompute = (name: string, jobs: number, spot = false) =>
      new FargateComputeEnvironment(this, name, {
        vpc,
        vpcSubnets: { subnetType: SubnetType.PUBLIC },
        securityGroups: [securityGroup],
        maxvCpus: jobs * settings.vcpus,
        spot,
      })
    // Both always exist, because CloudFormation cannot delete one while a load runs on it.
    const spot = makeCompute('Spot', settings.maxWorkers, true)
    const onDemand = makeCompute('OnDemand', settings.maxWorkers)
    this.work = this.makeQueue('Queue', settings.spot ? [spot, onDemand] : [onDemand], maxWaits.work)
    this.control = this.makeQueue('ControlQueue', [makeCompute('Control', loadsAtOnce)], maxWaits.control)
  }

  private makeQueue(name: string, environments: readonly FargateComputeEnvironment[], maxTime: Duration): JobQueue {
    return new JobQueue(this, name, {
      computeEnvironments: environments.map((computeEnvironment, index) => ({ computeEnvironment, order: index + 1 })),
      jobStateTimeLimitActions: Object.values(WaitReason).map((reason) => ({ reason, maxTime })),
    })
  }
}
