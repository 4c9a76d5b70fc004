import { FargateComputeEnvironment, JobQueue } from 'aws-cdk-lib/aws-batch'
import { SubnetType } from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'
import type { LoadNetwork } from './load-network.ts'
import type { LoadsSettings } from './loads-settings.ts'

/** Compute for the jobs of loads, Fargate Spot first unless the stage says no, then Fargate. It costs nothing while no job runs. */
export class LoadQueue extends Construct {
  readonly queue: JobQueue

  constructor(
    scope: Construct,
    id: string,
    { network, settings }: { readonly network: LoadNetwork; readonly settings: LoadsSettings },
  ) {
    super(scope, id)
    const { vpc, securityGroup } = network
    const common = {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [securityGroup],
      maxvCpus: settings.maxWorkers * settings.vcpus,
    }
    // Both exist always: CloudFormation cannot delete one while a load runs on it.
    const spot = new FargateComputeEnvironment(this, 'Spot', { ...common, spot: true })
    const onDemand = new FargateComputeEnvironment(this, 'OnDemand', common)
    const environments = settings.spot ? [spot, onDemand] : [onDemand]
    this.queue = new JobQueue(this, 'Queue', {
      computeEnvironments: environments.map((computeEnvironment, index) => ({ computeEnvironment, order: index + 1 })),
    })
  }
}
