/**
 * The formats of tokens that are known by their shape alone: facts published by those who issue them. Every pattern is one
 * pass over the text: its parts are bounded, or cannot begin within what they have passed over.
 */

import { isCredentialPair, looksChosen, looksRandom } from './randomness.js';

/** One format. If the pattern has a group, that is the value; else the whole match. */
export interface FormatRule {
  readonly kind: string;
  /** A text with none of these holds no such token; they are case-sensitive and cheap to look for. */
  readonly keywords: readonly string[];
  readonly pattern: RegExp;
  /** What more the value must be, where the shape alone says too little. */
  accepts?(value: string): boolean;
}

/**
 * The left edge of a token whose own letters might go on to the left. Behind the escape of a line break in a string, as in
 * "\\nAC…", a letter is no part of the token.
 */
const EDGE = String.raw`(?:(?<![\w-])|(?<=\\[bfnrt]))`;
const HEX_EDGE = '(?![A-Za-z0-9])';

const rule = (
  kind: string,
  keywords: readonly string[],
  source: string,
  accepts?: FormatRule['accepts'],
): FormatRule => ({
  kind,
  keywords,
  pattern: new RegExp(source, source.includes('(?<value>') ? 'dg' : 'g'),
  ...(accepts && { accepts }),
});

/** The table; earlier rows name a token that fits several. */
export const FORMAT_RULES: readonly FormatRule[] = [
  // Clouds
  rule(
    'aws_access_key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'A3T'],
    '(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])',
  ),
  rule('aws_bedrock_key', ['ABSK'], `${EDGE}ABSK[A-Za-z0-9+/]{109,269}={0,2}`),
  rule('google_api_key', ['AIza'], String.raw`AIza[\w-]{35}`),
  rule('gcp_key_id', ['private_key_id'], String.raw`"private_key_id\\?"\s{0,8}:\s{0,8}\\?"(?<value>[0-9a-f]{40})`),
  rule('google_oauth', ['GOCSPX-', 'ya29.'], String.raw`GOCSPX-[\w-]{20,40}|${EDGE}ya29\.[\w-]{20,2048}`),
  rule(
    'azure_storage_key',
    ['AccountKey=', 'SharedAccessKey='],
    '(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,100}={0,2})',
  ),
  rule(
    'azure_sas_signature',
    ['sig='],
    '[?&](?:amp;)?sig=(?<value>[A-Za-z0-9+/]{20,100}(?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}|=){1,60})',
  ),
  rule('azure_client_secret', ['Q~'], String.raw`(?:(?<![\w.~-])|(?<=\\[bfnrt]))[\w.~-]{3}\dQ~[\w.~-]{31,34}`),
  rule('digitalocean_token', ['_v1_'], `${EDGE}do[oprt]_v1_[0-9a-f]{64}`),
  rule('alibaba_access_key', ['LTAI'], `${EDGE}LTAI[A-Za-z0-9]{20}${HEX_EDGE}`),
  rule('heroku_key', ['HRKU-'], String.raw`HRKU-[\w-]{36,80}`),
  rule(
    'fly_token',
    ['FlyV1 ', 'fm2_', 'fo1_'],
    String.raw`${EDGE}(?:fm\d[ar]?_[A-Za-z0-9+/]{50,1000}={0,3}|fo1_[\w-]{43})`,
  ),
  rule('cloudflare_origin_key', ['v1.0-'], String.raw`${EDGE}v1\.0-[0-9a-f]{24}-[0-9a-f]{146}`),

  // Code hosts, packages and pipelines
  rule('github_token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[opusr]_[A-Za-z0-9]{36,255}'),
  rule('github_fine_grained', ['github_pat_'], String.raw`github_pat_\w{36,255}`),
  rule(
    'gitlab_token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glimt-', 'glagent-', 'gloas-', 'glft-', 'glffct-'],
    String.raw`gl(?:pat|dt|rt|ptt|cbt|soat|imt|agent|oas|ft|ffct)-[\w-]{20,300}(?:\.[0-9a-z]{2}[\w-]{7,20})?`,
  ),
  rule(
    'atlassian_token',
    ['ATATT3', 'ATCTT3', 'ATBB'],
    String.raw`${EDGE}(?:AT[AC]TT3[\w=-]{50,250}|ATBB[A-Za-z0-9]{32})`,
  ),
  rule('npm_token', ['npm_'], 'npm_[A-Za-z0-9]{36}'),
  rule(
    'npm_auth',
    ['_authToken', '_auth', '_password'],
    String.raw`(?:_authToken|_auth|_password)[ \t]{0,8}=[ \t]{0,8}(?<value>[^\s$"'{}]{8,500})`,
  ),
  rule('pypi_token', ['pypi-'], String.raw`pypi-[\w-]{50,400}`),
  rule('rubygems_key', ['rubygems_'], 'rubygems_[0-9a-f]{48}'),
  rule('crates_token', ['cio'], `${EDGE}cio[A-Za-z0-9]{32}${HEX_EDGE}`),
  rule('nuget_key', ['oy2'], `${EDGE}oy2[a-z0-9]{43}${HEX_EDGE}`),
  rule('docker_token', ['dckr_'], String.raw`dckr_(?:pat|oat)_[\w-]{27,80}`),
  rule(
    'docker_auth',
    ['auth'],
    String.raw`"auth\\{0,3}"\s{0,8}:\s{0,8}\\{0,3}"(?<value>[A-Za-z0-9+/]{12,500}={0,2})\\{0,3}"`,
    isCredentialPair,
  ),
  rule('artifactory_key', ['AKCp'], `${EDGE}AKCp[A-Za-z0-9]{69}`),
  rule('terraform_token', ['.atlasv1.'], String.raw`${EDGE}[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}`),
  rule('pulumi_token', ['pul-'], `${EDGE}pul-[0-9a-f]{40}`),
  rule('circleci_token', ['CCIPAT_', 'CCIPRJ_'], 'CCIP(?:AT|RJ)_[A-Za-z0-9]{20,30}_[0-9a-f]{40}'),
  rule('buildkite_token', ['bkua_'], 'bkua_[0-9a-f]{40}'),
  rule('netlify_token', ['nfp_'], `${EDGE}nfp_[A-Za-z0-9]{36}`),
  rule('vault_token', ['hvs.', 'hvb.', 'hvr.'], String.raw`${EDGE}hv[sbr]\.[\w-]{24,300}`),
  rule(
    'doppler_token',
    ['dp.'],
    String.raw`${EDGE}dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`,
  ),
  rule(
    'onepassword_token',
    ['ops_eyJ', 'A3-'],
    `ops_eyJ[A-Za-z0-9+/_-]{150,2000}={0,3}|${EDGE}A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}`,
  ),
  rule('age_secret_key', ['AGE-SECRET-KEY-1'], 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),

  // Models
  rule('anthropic_key', ['sk-ant-'], String.raw`sk-ant-[a-z]{2,8}\d{2}-[\w-]{20,200}`),
  rule('openrouter_key', ['sk-or-'], String.raw`sk-or-v\d-[0-9a-f]{40,80}`),
  rule('openai_key', ['sk-'], String.raw`${EDGE}sk-(?:proj|svcacct|admin|None|service)-[\w-]{20,300}`),
  rule('openai_key', ['sk-'], `${EDGE}sk-[A-Za-z0-9]{32,100}`),
  rule('huggingface_token', ['hf_', 'api_org_'], `${EDGE}(?:hf_|api_org_)[A-Za-z0-9]{34,40}`),
  rule('groq_key', ['gsk_'], `${EDGE}gsk_[A-Za-z0-9]{48,60}`),
  rule('xai_key', ['xai-'], `${EDGE}xai-[A-Za-z0-9]{70,90}`),
  rule('replicate_token', ['r8_'], `${EDGE}r8_[A-Za-z0-9]{37}`),
  rule('perplexity_key', ['pplx-'], `${EDGE}pplx-[A-Za-z0-9]{40,60}`),
  rule('langsmith_key', ['lsv2_'], 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'),

  // Messages and mail
  rule(
    'slack_token',
    ['xox', 'xapp-'],
    String.raw`xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,300}|xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[0-9a-f]{32,80}`,
  ),
  rule('slack_webhook', ['/B'], `${EDGE}T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}${HEX_EDGE}`),
  rule(
    'slack_webhook',
    ['hooks.slack'],
    String.raw`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?<value>[A-Za-z0-9+/]{20,120})`,
  ),
  rule(
    'discord_webhook',
    ['/api/webhooks/'],
    String.raw`discord(?:app)?\.com/api/webhooks/(?<value>\d{15,22}/[\w-]{40,100})`,
  ),
  rule(
    'discord_token',
    ['.'],
    String.raw`(?:(?<![\w.-])|(?<=\\[bfnrt]))[MNO][A-Za-z\d_-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])`,
  ),
  rule('discord_token', ['mfa.'], String.raw`${EDGE}mfa\.[\w-]{84}`),
  rule('telegram_token', [':A'], String.raw`(?<!\d)\d{8,12}:A[A-Za-z0-9_-]{34}(?![\w-])`),
  rule(
    'teams_webhook',
    ['webhook.office.com'],
    String.raw`webhook\.office\.com/webhookb2/(?<value>[0-9a-f@-]{73}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})`,
  ),
  rule('sendgrid_key', ['SG.'], String.raw`${EDGE}SG\.[\w-]{16,32}\.[\w-]{16,64}`),
  rule('mailgun_key', ['key-'], `${EDGE}key-[0-9a-f]{32}${HEX_EDGE}`),
  rule('mailchimp_key', ['-us'], String.raw`${EDGE}[0-9a-f]{32}-us\d{1,2}${HEX_EDGE}`),
  rule('brevo_key', ['xkeysib-'], 'xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}'),
  rule('resend_key', ['re_'], `${EDGE}re_[A-Za-z0-9]{8,10}_[A-Za-z0-9]{24}${HEX_EDGE}`),
  rule('twilio_key', ['SK'], `${EDGE}SK[0-9a-f]{32}${HEX_EDGE}`),
  rule('twilio_account', ['AC'], `${EDGE}AC[0-9a-f]{32}${HEX_EDGE}`),

  // Money and shops
  rule(
    'stripe_key',
    ['k_live_', 'k_test_', 'k_prod_', 'whsec_'],
    '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/]{24,100}={0,2}',
  ),
  rule('square_token', ['sq0', 'EAAA'], String.raw`sq0[a-z]{3}-[\w-]{22,60}|${EDGE}EAAA[A-Za-z0-9+=_-]{60}`),
  rule('shopify_token', ['shp'], 'shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}'),
  rule('paypal_token', ['access_token$production$'], String.raw`access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}`),

  // Data, insight and other services
  rule('databricks_token', ['dapi'], String.raw`${EDGE}dapi[0-9a-f]{32}(?:-\d)?`),
  rule('planetscale_token', ['pscale_'], String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}`),
  rule('supabase_key', ['sbp_', 'sb_secret_'], String.raw`${EDGE}(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})`),
  rule(
    'grafana_token',
    ['glc_', 'glsa_'],
    `${EDGE}(?:glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8})`,
  ),
  rule('newrelic_key', ['NRAK-', 'NRII-'], String.raw`NRAK-[A-Z0-9]{27}|NRII-[\w-]{32}`),
  rule('sentry_token', ['sntry'], 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}'),
  rule('dynatrace_token', ['dt0'], String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  rule('postman_key', ['PMAK-'], 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'),
  rule('linear_key', ['lin_api_'], 'lin_api_[A-Za-z0-9]{40}'),
  rule('notion_token', ['secret_', 'ntn_'], `${EDGE}(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})${HEX_EDGE}`),
  rule('airtable_token', ['pat'], String.raw`${EDGE}pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
  rule('figma_token', ['figd_', 'figu_'], String.raw`fig[du]_[\w-]{40,60}`),
  rule('mapbox_token', ['sk.eyJ'], String.raw`sk\.eyJ[\w-]{20,300}\.[\w-]{20,40}`),
  rule('contentful_token', ['CFPAT-'], String.raw`CFPAT-[\w-]{43}`),
  rule('facebook_token', ['EAA'], `${EDGE}EAA[A-Z][A-Za-z0-9]{60,300}`),

  // Anything
  rule('jwt', ['eyJ'], String.raw`${EDGE}eyJ[\w-]{8,8192}\.eyJ[\w-]{6,16384}\.[\w-]{0,2048}(?:\.[\w-]{1,8192}){0,2}`),
  rule(
    'basic_auth',
    ['asic '],
    String.raw`\b[Bb]asic (?<value>[A-Za-z0-9+/]{8,500}={0,2})(?![A-Za-z0-9+/=])`,
    isCredentialPair,
  ),
  rule('bearer_token', ['earer '], String.raw`\b[Bb]earer (?<value>[A-Za-z0-9._~+/-]{20,2000}={0,2})`, looksRandom),
  rule(
    'command_line_password',
    ['-u', '--user'],
    String.raw`(?:^|\s)(?:-u|--user)[ =]{1,4}["']?[^\s:"'$]{1,64}:(?<value>[^\s:"'$][^\s"'$]{3,200})`,
    looksChosen,
  ),
  rule(
    'command_line_password',
    [' -p'],
    String.raw`\b(?:(?:docker|podman|helm registry) login|sshpass|mysql|mysqldump)\b[^\n]{0,120}? -p[ =]?["']?(?<value>[^\s"'$-][^\s"'$]{5,200})`,
    looksChosen,
  ),
];
