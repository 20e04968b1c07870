// Plain CommonJS in old syntax, so that every Node can say why it is too old.
var major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    "sobre runs from a clone on Node 24, and this is Node " +
      process.versions.node +
      ".\n" +
      "`npm ci` brings Node 24 along as a devDependency; it seems to be missing.\n" +
      "Was the install run with --ignore-scripts? Then run `npm rebuild node`, or install Node 24 yourself.",
  );
  process.exit(1);
}
