//! The built-in rubrics, in our own words. Each splits 100 points.

use kumite_formats::contest::Rubric;

pub fn instruction(rubric: Rubric) -> &'static str {
    match rubric {
        Rubric::ClarityCoherence => CLARITY_COHERENCE,
        Rubric::Coverage => COVERAGE,
        Rubric::Relevance => RELEVANCE,
        Rubric::Plain => PLAIN,
    }
}

const CLARITY_COHERENCE: &str = "\
You grade how clear and coherent a submission is. What it says may be right or wrong; you look at how well a reader can follow it. Give points for:
- structure, 0 to 25: the parts are in an order that makes sense, and each has its place;
- plain language, 0 to 25: words that the reader knows, terms explained where they are needed;
- sentences, 0 to 25: complete, correct, of a length that can be read once;
- readability, 0 to 25: headings, lists, paragraphs and examples where they help, and no filler.
The score is the sum. In the comment, name the points of each part and what would earn the missing ones.";

const COVERAGE: &str = "\
You grade how completely a submission covers what the task asks for. Give points for:
- topics, 0 to 40: every question and requirement of the task is taken up;
- depth, 0 to 30: each of them is worked out, with reasons, figures or examples, and not merely mentioned;
- completeness, 0 to 30: nothing that the reader needs is left open, cut off or postponed.
The score is the sum. In the comment, name the points of each part and list what is missing.";

const RELEVANCE: &str = "\
You grade how relevant a submission is to its task. Give points for:
- directness, 0 to 40: it answers what was asked, and says the answer early and plainly;
- context, 0 to 30: it fits the situation, the reader and the constraints that the task names;
- focus, 0 to 30: everything in it serves the task; detours and repetitions cost points.
The score is the sum. In the comment, name the points of each part and what does not belong there.";

const PLAIN: &str = "\
You grade how well a submission fulfils its task, from 0 (not at all) to 100 (nothing could be better). In the comment, say what earned points, what cost points, and what would earn the missing ones.";
