/** One table of expectations for each ecosystem: its files, and the packages, scopes and directness that they come to. */
import { describe, it } from 'vitest';
import { expectPackages, type TreeCase } from './measure.js';

const COMPILED: Readonly<Record<string, TreeCase>> = {
  'Go, with replacements and indirect needs': {
    files: {
      'go.mod': `module example.org/app

go 1.21

require github.com/BurntSushi/toml v1.3.2
require (
	github.com/gorilla/mux v1.8.0 // indirect
	golang.org/x/text v0.14.0
	example.org/lib v1.0.0
)
replace golang.org/x/text => github.com/golang/text v0.15.0
replace example.org/lib => ../lib
`,
      'go.sum': 'github.com/BurntSushi/toml v1.3.2 h1:abc=\ngithub.com/old/seen v0.1.0/go.mod h1:abc=\n',
    },
    packages: [
      'pkg:golang/github.com/burntsushi/toml@v1.3.2 direct runtime',
      'pkg:golang/github.com/golang/text@v0.15.0 direct runtime',
      'pkg:golang/github.com/gorilla/mux@v1.8.0 transitive runtime',
    ],
    local: 1,
  },
  'Go before 1.17, whose go.sum knows more than its go.mod': {
    files: {
      'go.mod': 'module example.org/app\ngo 1.15\nrequire github.com/pkg/errors v0.9.1\n',
      'go.sum': 'github.com/pkg/errors v0.9.1 h1:a=\ngithub.com/a/b v1.9.0 h1:a=\ngithub.com/a/b v1.10.0 h1:a=\n',
    },
    packages: [
      'pkg:golang/github.com/a/b@v1.10.0 transitive runtime',
      'pkg:golang/github.com/pkg/errors@v0.9.1 direct runtime',
    ],
  },
  'a Cargo workspace, with targets, renames and inherited dependencies': {
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["app", "lib"]\n[workspace.dependencies]\nserde = "1.0"\nunused = "9"\n',
      'app/Cargo.toml': `[package]
name = "app"
[dependencies]
serde = { workspace = true, optional = true }
lib = { path = "../lib" }
rand_old = { package = "rand", version = "=0.7.3" }
[target.'cfg(unix)'.dependencies]
libc = "0.2"
[dev-dependencies]
rand = "0.8"
[build-dependencies]
cc = "1"
`,
      'lib/Cargo.toml': '[package]\nname = "lib"\n',
      'Cargo.lock': `version = 3
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["serde", "lib", "libc", "rand 0.7.3", "rand 0.8.5", "cc"]
[[package]]
name = "lib"
version = "0.1.0"
${['serde 1.0.195', 'libc 0.2.152', 'rand 0.7.3', 'cc 1.0.83', 'getrandom 0.2.12']
  .map((pair) => pair.split(' '))
  .map(([name, version]) => `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+x"\n`)
  .join('')}[[package]]
name = "rand"
version = "0.8.5"
source = "registry+x"
dependencies = ["getrandom"]
`,
    },
    packages: [
      'pkg:cargo/cc@1.0.83 direct dev',
      'pkg:cargo/getrandom@0.2.12 transitive runtime',
      'pkg:cargo/libc@0.2.152 direct runtime',
      'pkg:cargo/rand@0.7.3 direct runtime',
      'pkg:cargo/rand@0.8.5 direct runtime',
      'pkg:cargo/serde@1.0.195 direct optional',
      'pkg:cargo/unused direct runtime unlocked',
    ],
    local: 1,
  },
  'NuGet with central versions, a lock file and packages.config': {
    files: {
      'Directory.Packages.props':
        '<Project><PropertyGroup><V>13.0.3</V></PropertyGroup><ItemGroup><PackageVersion Include="Newtonsoft.Json" Version="$(V)" /><PackageVersion Include="Never.Used" Version="1.0.0" /></ItemGroup></Project>',
      'src/App.csproj': `<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="newtonsoft.json" />
    <PackageReference Include="Serilog"><Version>[3.1.1]</Version></PackageReference>
    <PackageReference Include="Floating" Version="1.*" />
    <PackageReference Include="StyleCop.Analyzers" Version="1.1.118" PrivateAssets="all" />
    <ProjectReference Include="..\\lib\\Lib.csproj" />
  </ItemGroup>
</Project>`,
      'old/packages.config': '<packages><package id="jQuery" version="3.6.0" targetFramework="net48" /></packages>',
      'locked/L.csproj':
        '<Project><ItemGroup><PackageReference Include="Polly" Version="8.2.0" /></ItemGroup></Project>',
      'locked/packages.lock.json': JSON.stringify({
        version: 1,
        dependencies: {
          'net8.0': {
            Polly: { type: 'Direct', resolved: '8.2.0', dependencies: { 'Polly.Core': '8.2.0' } },
            'Polly.Core': { type: 'Transitive', resolved: '8.2.0' },
            lib: { type: 'Project' },
          },
        },
      }),
    },
    packages: [
      'pkg:nuget/Floating direct runtime unlocked',
      'pkg:nuget/Never.Used@1.0.0 direct runtime unlocked',
      'pkg:nuget/Polly@8.2.0 direct runtime',
      'pkg:nuget/Polly.Core@8.2.0 transitive runtime',
      'pkg:nuget/Serilog@3.1.1 direct runtime unlocked',
      'pkg:nuget/StyleCop.Analyzers@1.1.118 direct dev unlocked',
      'pkg:nuget/jQuery@3.6.0 direct runtime unlocked',
      'pkg:nuget/newtonsoft.json@13.0.3 direct runtime unlocked',
    ],
    local: 1,
  },
};

const JVM: Readonly<Record<string, TreeCase>> = {
  'Maven, with parents, properties and managed versions': {
    files: {
      'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>org.acme</groupId><artifactId>root</artifactId><version>1.0</version>
  <properties><jackson.version>2.16.1</jackson.version><jackson>\${jackson.version}</jackson></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><version>5.10.0</version><scope>test</scope></dependency>
    <dependency><groupId>org.acme</groupId><artifactId>bom</artifactId><version>1</version><type>pom</type><scope>import</scope></dependency>
  </dependencies></dependencyManagement>
</project>`,
      'app/pom.xml': `<project>
  <parent><groupId>org.acme</groupId><artifactId>root</artifactId><version>1.0</version></parent>
  <artifactId>app</artifactId>
  <dependencies>
    <dependency><groupId>com.fasterxml</groupId><artifactId>databind</artifactId><version>\${jackson}</version></dependency>
    <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId></dependency>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>lib</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>javax</groupId><artifactId>servlet</artifactId><version>[3.1,4)</version><scope>provided</scope></dependency>
    <dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>\${unknown}</version><optional>true</optional></dependency>
  </dependencies>
</project>`,
      'lib/pom.xml':
        '<project><parent><groupId>org.acme</groupId><artifactId>root</artifactId><version>1.0</version><relativePath>../pom.xml</relativePath></parent><artifactId>lib</artifactId></project>',
    },
    packages: [
      'pkg:maven/com.fasterxml/databind@2.16.1 direct runtime unlocked',
      'pkg:maven/javax/servlet direct peer unlocked',
      'pkg:maven/org.junit/junit@5.10.0 direct dev unlocked',
      'pkg:maven/org.x/y direct optional unlocked',
    ],
    local: 1,
  },
  'Gradle in both its languages, with a catalog': {
    files: {
      'gradle/libs.versions.toml': `[versions]
okhttp = "4.12.0"
[libraries]
okhttp-core = { module = "com.squareup.okhttp3:okhttp", version.ref = "okhttp" }
assertj = "org.assertj:assertj-core:3.25.1"
moshi = { group = "com.squareup", name = "moshi", version = { strictly = "1.15.0" } }
spare = "org.spare:spare:1.0"
[bundles]
net = ["okhttp-core", "moshi"]
`,
      'app/build.gradle.kts': `val ktor = "2.3.7"
dependencies {
    implementation(libs.bundles.net)
    testImplementation(libs.assertj)
    implementation("io.ktor:ktor-core:$ktor")
    // implementation("org.never:seen:1")
    implementation(project(":lib"))
    implementation(platform("org.bom:bom:1.0"))
    implementation(kotlin("stdlib"))
}
`,
      'lib/build.gradle': `ext { slf4j = '2.0.9' }
dependencies {
    api 'com.google.guava:guava:32.+'
    implementation group: 'org.slf4j', name: 'slf4j-api', version: '2.0.9'
    runtimeOnly "org.slf4j:slf4j-simple:\${slf4j}"
    compileOnly 'org.projectlombok:lombok:1.18.30'
    testRuntimeOnly('org.junit:engine:5.10.1') { exclude group: 'x' }
}
`,
      'locked/build.gradle': "dependencies { implementation 'commons-io:commons-io:2.15.1' }\n",
      'locked/gradle.lockfile':
        '# comment\ncommons-io:commons-io:2.15.1=compileClasspath,runtimeClasspath\norg.hamcrest:core:2.2=testCompileClasspath\nempty=annotationProcessor\n',
    },
    packages: [
      'pkg:maven/com.google.guava/guava direct runtime unlocked',
      'pkg:maven/com.squareup.okhttp3/okhttp@4.12.0 direct runtime unlocked',
      'pkg:maven/com.squareup/moshi@1.15.0 direct runtime unlocked',
      'pkg:maven/commons-io/commons-io@2.15.1 direct runtime',
      'pkg:maven/io.ktor/ktor-core@2.3.7 direct runtime unlocked',
      'pkg:maven/org.assertj/assertj-core@3.25.1 direct dev unlocked',
      'pkg:maven/org.bom/bom@1.0 direct runtime unlocked',
      'pkg:maven/org.hamcrest/core@2.2 transitive dev',
      'pkg:maven/org.jetbrains.kotlin/kotlin-stdlib direct runtime unlocked',
      'pkg:maven/org.junit/engine@5.10.1 direct dev unlocked',
      'pkg:maven/org.projectlombok/lombok@1.18.30 direct peer unlocked',
      'pkg:maven/org.slf4j/slf4j-api@2.0.9 direct runtime unlocked',
      'pkg:maven/org.slf4j/slf4j-simple@2.0.9 direct runtime unlocked',
      'pkg:maven/org.spare/spare@1.0 direct runtime unlocked',
    ],
    local: 1,
  },
};

const SCRIPTED: Readonly<Record<string, TreeCase>> = {
  'Bundler, with groups, a gem specification and platforms': {
    files: {
      Gemfile: `source 'https://example.org'
gemspec
gem "rails", "~> 7.1", ">= 7.1.2" # comment
gem 'pg', '1.5.4', group: :production
gem 'own', path: '../own'
group :development, :test do
  gem 'rspec', require: false
end
`,
      'app.gemspec': `Gem::Specification.new do |spec|
  spec.name = "app"
  spec.add_dependency "rack", ">= 2"
  spec.add_development_dependency("rake", "~> 13")
end
`,
      'Gemfile.lock': `PATH
  remote: .
  specs:
    app (0.1.0)
      rack (>= 2)

GEM
  remote: https://example.org/
  specs:
    pg (1.5.4)
    rack (3.0.8)
    rails (7.1.2)
      nokogiri (>= 1.8)
    nokogiri (1.16.0-arm64-darwin)
      racc (~> 1.4)
    nokogiri (1.16.0-x86_64-linux)
      racc (~> 1.4)
    racc (1.7.3)
    rake (13.1.0)
    rspec (3.12.0)

PLATFORMS
  ruby

DEPENDENCIES
  app!
  pg (= 1.5.4)
  rails (~> 7.1)
  rake (~> 13)
  rspec

BUNDLED WITH
   2.5.4
`,
    },
    packages: [
      'pkg:gem/nokogiri@1.16.0 transitive runtime',
      'pkg:gem/pg@1.5.4 direct runtime',
      'pkg:gem/racc@1.7.3 transitive runtime',
      'pkg:gem/rack@3.0.8 direct runtime',
      'pkg:gem/rails@7.1.2 direct runtime',
      'pkg:gem/rake@13.1.0 direct dev',
      'pkg:gem/rspec@3.12.0 direct dev',
    ],
    local: 1,
  },
  'Composer, whose platform packages are none': {
    files: {
      'composer.json': JSON.stringify({
        name: 'acme/app',
        require: { php: '>=8.1', 'ext-json': '*', 'Monolog/Monolog': '^3.0' },
        'require-dev': { 'phpunit/phpunit': '10.5.5' },
      }),
      'composer.lock': JSON.stringify({
        packages: [
          { name: 'monolog/monolog', version: '3.5.0', require: { php: '>=8.1', 'psr/log': '^2' } },
          { name: 'psr/log', version: '3.0.0' },
        ],
        'packages-dev': [{ name: 'phpunit/phpunit', version: '10.5.5' }],
      }),
    },
    packages: [
      'pkg:composer/monolog/monolog@3.5.0 direct runtime',
      'pkg:composer/phpunit/phpunit@10.5.5 direct dev',
      'pkg:composer/psr/log@3.0.0 transitive runtime',
    ],
  },
};

describe.each([
  ['compiled languages', COMPILED],
  ['the JVM', JVM],
  ['scripting languages', SCRIPTED],
])('projects of %s', (_name, cases) => {
  it.each(Object.entries(cases))('%s', async (_title, tree) => expectPackages(tree));
});
