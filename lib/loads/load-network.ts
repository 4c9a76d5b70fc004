import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import {
  CfnSubnet,
  GatewayVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'

/**
 * A network of public subnets without a NAT gateway, which would cost more than the workers. Nothing can connect to a
 * worker. Workers reach S3 and DynamoDB through gateway endpoints, which are free.
 */
export class LoadNetwork extends Construct {
  readonly vpc: IVpc
  readonly securityGroup: SecurityGroup

  /** @param zones ids of zones. @default - the first two of the account by their names, as CloudFormation lists them */
  constructor(scope: Construct, id: string, zones: readonly string[] | undefined) {
    super(scope, id)
    // A network in other zones gets another id: CloudFormation creates new subnets before it frees the old addresses.
    const vpc = new Vpc(this, ['Vpc', ...(zones ?? [])].join('-'), {
      natGateways: 0,
      ...(zones !== undefined && { availabilityZones: [...zones] }),
      subnetConfiguration: [{ name: 'Public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDB: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    })
    if (zones !== undefined) chooseZonesById(vpc)
    // The types of a VPC only differ from `IVpc` in `vpnGatewayId?: string | undefined`.
    this.vpc = vpc as IVpc
    this.securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc: this.vpc,
      description: 'Steps of loads: they call AWS and payers by https, and nobody calls them',
      allowAllOutbound: false,
    })
    this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'https')
  }
}

/** Names the zones of subnets by their ids, because their names differ between accounts. */
function chooseZonesById(vpc: Vpc): void {
  for (const { node, availabilityZone } of vpc.publicSubnets) {
    const { defaultChild } = node
    if (!(defaultChild instanceof CfnSubnet)) throw new TypeError('a subnet is no longer a CfnSubnet')
    defaultChild.addPropertyDeletionOverride('AvailabilityZone')
    defaultChild.availabilityZoneId = availabilityZone
  }
}
